/*
 * routes.h - which experts each token went to, as k3-route(5) defines
 *
 * The reader takes any bytes, holds one line of them and a block, however long
 * the stream is, and refuses what the format does not allow.
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

/* Passes and sequences are below this: awk counts exactly so far. */
#define K3_ROUTES_MAX ((uint64_t)1 << 53)

struct k3_routes_shape {
	uint32_t layers, experts, topk;
};

struct k3_routes; /* opaque: a stream that is read */

/*
 * Begin to read: the first line.  'fp' stays the caller's, 'name' is for
 * messages and copied.  A dump of pairs is recognised, and has no first line.
 * NULL with EX_DATAERR, EX_IOERR or EX_OSERR.
 */
struct k3_routes *k3_routes_open(FILE *fp, const char *name,
    struct k3_err *err);
void k3_routes_close(struct k3_routes *r); /* NULL is fine */

const struct k3_routes_shape *k3_routes_shape(const struct k3_routes *r);

/*
 * The next line: 1, and 'route' holds until the next call; 0 at the end; -1
 * with EX_DATAERR or EX_IOERR, and then it is not to be called again.
 */
int k3_routes_next(struct k3_routes *r, struct k3_route *route,
    struct k3_err *err);

/* The number of the line read last, from 1; of a dump, that of the token. */
uint64_t k3_routes_line(const struct k3_routes *r);

/* Bytes of the stream up to the end of the line read last. */
uint64_t k3_routes_bytes(const struct k3_routes *r);

/*
 * The experts of the line read last in the order in which a dump has them,
 * [topk]; NULL if the stream is no dump.
 */
const uint32_t *k3_routes_pairs(const struct k3_routes *r);

/*
 * Is 'name' of the shape of 'other', or of the model where that is NULL?  0, or
 * -1 with EX_DATAERR and both shapes.
 */
int k3_routes_same_shape(const char *name, const struct k3_routes_shape *shape,
    const char *other, const struct k3_routes_shape *want, struct k3_err *err);

/* Write the first line of a stream. */
int k3_routes_head(FILE *fp, const struct k3_cfg *cfg, const char *name,
    struct k3_err *err);

/* One line.  0, or -1 with EX_IOERR; 'name' is for the message. */
int k3_routes_put(FILE *fp, const struct k3_route *route, const char *name,
    struct k3_err *err);

/*
 * A line for each of some tokens in a row, of the same pass and layer: 'first'
 * is that of the first, with experts and weights [tokens][n].
 */
int k3_routes_put_rows(FILE *fp, const struct k3_route *first, size_t tokens,
    const char *name, struct k3_err *err);

#endif
