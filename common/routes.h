/*
 * routes.h - which experts each token went to, as k3-route(5) defines
 */
#ifndef K3_COMMON_ROUTES_H
#define K3_COMMON_ROUTES_H

#include <stdint.h>
#include <stdio.h>

#include "common/cfg.h"
#include "common/err.h"

struct k3_route {
	uint64_t pass, sequence, position;
	char kind; /* 'p' prefill, 'd' decode */
	uint32_t layer;
	uint32_t n;             /* experts picked */
	const uint32_t *expert; /* [n], rising */
	const float *weight;    /* [n], or NULL: unknown */
};

/* The first line of the stream. */
int k3_routes_head(FILE *fp, const struct k3_cfg *cfg, const char *name,
    struct k3_err *err);

/* One line.  0, or -1 with EX_IOERR; 'name' is for the message. */
int k3_routes_put(FILE *fp, const struct k3_route *route, const char *name,
    struct k3_err *err);

#endif
