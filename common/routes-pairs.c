/*
 * routes-pairs.c - dumps of pairs as routes
 *
 * Pairs of two little-endian int32, layer and expert, as k3-route(5) tells.
 * The tokens of a layer follow each other, each with all of its experts, and
 * another pass begins where the layer falls.
 */
#include <inttypes.h>

#include "common/le.h"
#include "common/routes-impl.h"

/* One number.  1, or 0 at the end, or -1 within a number. */
static int
number(struct k3_routes *r, uint32_t *v)
{
	uint8_t b[4];

	for (int i = 0; i < 4; i++) {
		if (r->p == r->end && k3_routes_fill(r) == -1)
			return i == 0 && r->failed == 0 ? 0 : -1;
		b[i] = *r->p++;
	}
	*v = k3_le_get32(b);
	return 1;
}

static int
below(struct k3_routes *r, const char *what, uint32_t v, uint32_t limit,
    struct k3_err *err)
{
	if (v < limit)
		return 0;
	return k3_routes_fail(r, err,
	    "offset %" PRIu64 ": %s %" PRId32 " is not from 0 to %" PRIu32,
	    k3_routes_bytes(r) - 4, what, (int32_t)v, limit - 1);
}

/* One pair.  1, or 0 at the end, or -1. */
static int
pair(struct k3_routes *r, uint32_t *layer, uint32_t *expert, struct k3_err *err)
{
	int got = number(r, layer);

	if (got == 0)
		return 0;
	if (got == 1 && below(r, "layer", *layer, r->shape.layers, err) != 0)
		return -1;
	if (got != 1 || number(r, expert) != 1)
		return k3_routes_fail(r, err,
		    "offset %" PRIu64 ": %" PRIu64 " bytes of a pair, want 8",
		    k3_routes_bytes(r) / 8 * 8, k3_routes_bytes(r) % 8);
	if (below(r, "expert", *expert, r->shape.experts, err) != 0)
		return -1;
	return 1;
}

/* Put the experts, of which 'n' are there and rise, into their order. */
static int
insert(struct k3_routes *r, uint32_t n, uint32_t expert, struct k3_err *err)
{
	uint32_t i = n;

	for (; i > 0 && r->expert[i - 1] >= expert; i--) {
		if (r->expert[i - 1] == expert)
			return k3_routes_fail(r, err,
			    "offset %" PRIu64 ": expert %" PRIu32
			    " twice in one token of layer %" PRIu32,
			    k3_routes_bytes(r) - 8, expert, r->last.layer);
		r->expert[i] = r->expert[i - 1];
	}
	r->expert[i] = expert;
	r->asked[n] = expert;
	return 0;
}

/* The place of a token of 'layer' after the last one. */
static int
place(struct k3_routes *r, uint32_t layer, struct k3_err *err)
{
	struct k3_route *l = &r->last;

	if (r->line == 0 || layer != l->layer)
		l->position = 0;
	else
		l->position++;
	if (l->position == K3_MAX_SIZE)
		return k3_routes_fail(r, err,
		    "offset %" PRIu64 ": more than %u tokens of layer %" PRIu32,
		    k3_routes_bytes(r) - 8, K3_MAX_SIZE, layer);
	if (r->line != 0 && layer < l->layer)
		l->pass++;
	l->layer = layer;
	r->line++;
	return 0;
}

int
k3_routes_pairs_next(struct k3_routes *r, struct k3_err *err)
{
	uint32_t layer = 0, expert = 0;
	int got = pair(r, &layer, &expert, err);

	if (got != 1)
		return got;
	if (place(r, layer, err) != 0)
		return -1;
	for (uint32_t n = 0;;) {
		if (insert(r, n++, expert, err) != 0)
			return -1;
		if (n == r->shape.topk)
			return 1;
		if ((got = pair(r, &layer, &expert, err)) == -1)
			return -1;
		if (got == 0 || layer != r->last.layer)
			return k3_routes_fail(r, err,
			    "offset %" PRIu64 ": layer %" PRIu32
			    " ends after %" PRIu32 " experts of a token, "
			    "want %" PRIu32,
			    k3_routes_bytes(r) - (got == 0 ? 0 : 8),
			    r->last.layer, n, r->shape.topk);
	}
}
