/*
 * routes-impl.h - what the readers of routes share
 */
#ifndef K3_COMMON_ROUTES_IMPL_H
#define K3_COMMON_ROUTES_IMPL_H

#include <stdbool.h>

#include "common/routes.h"

/* A dump of pairs says nothing of its model, which is K3. */
#define K3_PAIRS_LAYERS  93
#define K3_PAIRS_EXPERTS 896
#define K3_PAIRS_TOPK    16

struct k3_routes {
	char *name;
	FILE *fp;
	struct k3_routes_shape shape;
	bool pairs;
	uint64_t line;
	struct k3_route last; /* the line before */
	unsigned field;       /* being read, from 1 */
	uint32_t *expert;     /* [topk] */
	float *weight;        /* [topk] */
	uint32_t asked[K3_PAIRS_TOPK];

	bool over;    /* nothing is left to fetch */
	int failed;   /* errno of a read, or 0 */
	uint64_t off; /* of 'end' in the stream */
	const uint8_t *p, *end;
	uint8_t buf[1 << 16];
};

/* Fetch, when p == end: the next byte, which stays, or -1 at the end. */
int k3_routes_fill(struct k3_routes *r);

/* Say that reading failed, if it did, or else "'NAME' PLACE: text". */
int k3_routes_fail(struct k3_routes *r, struct k3_err *err, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* The next line, or token of a dump of pairs, as k3_routes_next(). */
int k3_routes_text_next(struct k3_routes *r, struct k3_err *err);
int k3_routes_pairs_next(struct k3_routes *r, struct k3_err *err);

/* The first line of a text: the shape.  0 or -1. */
int k3_routes_text_head(struct k3_routes *r, struct k3_err *err);

/* The value of a decimal number; not finite if it is none, or too large. */
float k3_routes_weight(const char *text);

#endif
