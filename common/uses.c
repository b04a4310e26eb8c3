/*
 * uses.c - what a stream of routes comes to, counted line by line
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/uses.h"

#define BITS 64

/* The token of a sequence that a layer saw last; expert: [topk], or NULL. */
struct k3_uses_last {
	uint64_t sequence, position;
	uint16_t *expert;
};

static int
no_memory(struct k3_err *err)
{
	return k3_fail(err, EX_OSERR,
	    "cannot allocate memory for the uses of experts");
}

int
k3_uses_init(struct k3_uses *u, const struct k3_routes_shape *shape,
    struct k3_err *err)
{
	uint32_t layers = shape->layers;

	*u = (struct k3_uses){ .shape = *shape };
	u->prefill.layer = calloc(layers, sizeof(*u->prefill.layer));
	u->decode.layer = calloc(layers, sizeof(*u->decode.layer));
	u->last = calloc(layers, sizeof(struct k3_uses_last *));
	u->wanted =
	    calloc((shape->experts + BITS - 1) / BITS, sizeof(*u->wanted));
	if (u->prefill.layer == NULL || u->decode.layer == NULL ||
	    u->last == NULL || u->wanted == NULL) {
		k3_uses_fini(u);
		return no_memory(err);
	}
	u->distance = k3_distance_new(layers, shape->experts, err);
	if (u->distance != NULL)
		return 0;
	k3_uses_fini(u);
	return -1;
}

static void
free_kind(struct k3_uses_kind *kind, uint32_t layers)
{
	for (uint32_t i = 0; i < layers && kind->layer != NULL; i++)
		free(kind->layer[i].picks);
	free(kind->layer);
	free(kind->distance);
}

void
k3_uses_fini(struct k3_uses *u)
{
	free_kind(&u->prefill, u->shape.layers);
	free_kind(&u->decode, u->shape.layers);
	for (uint32_t i = 0; i < u->shape.layers && u->last != NULL; i++) {
		if (u->last[i] == NULL)
			continue;
		for (uint32_t s = 0; s < K3_USES_SEQUENCES; s++)
			free(u->last[i][s].expert);
		free(u->last[i]);
	}
	free(u->last);
	free(u->wanted);
	k3_distance_free(u->distance);
	*u = (struct k3_uses){ .kind = NULL };
}

static int
count_distance(struct k3_uses_kind *kind, uint32_t d, struct k3_err *err)
{
	if (d >= kind->ndistance) {
		size_t n = kind->ndistance == 0 ? 64 : kind->ndistance;
		uint64_t *p;

		while (d >= n)
			n *= 2;
		p = realloc(kind->distance, n * sizeof(*p));
		if (p == NULL)
			return no_memory(err);
		memset(p + kind->ndistance, 0,
		    (n - kind->ndistance) * sizeof(*p));
		kind->distance = p;
		kind->ndistance = n;
	}
	kind->distance[d]++;
	return 0;
}

/* A layer has all its tokens of a pass: it demands each expert once. */
static int
end_visit(struct k3_uses *u, struct k3_err *err)
{
	uint32_t d;

	for (uint32_t w = 0; w <= (u->shape.experts - 1) / BITS; w++) {
		for (uint64_t m = u->wanted[w]; m != 0; m &= m - 1) {
			int known = k3_distance_demand(u->distance, u->layer,
			    w * BITS + (uint32_t)__builtin_ctzll(m), &d, err);

			if (known == -1 ||
			    (known == 1 &&
				count_distance(u->kind, d, err) != 0))
				return -1;
			u->kind->first += known == 0;
			u->kind->layer[u->layer].demands++;
		}
		u->wanted[w] = 0;
	}
	if (u->lines > u->most)
		u->most = u->lines;
	u->lines = 0;
	return 0;
}

int
k3_uses_end(struct k3_uses *u, struct k3_err *err)
{
	if (u->kind == NULL)
		return 0;
	if (end_visit(u, err) != 0)
		return -1;
	u->kind->tokens += u->most;
	u->most = 0;
	return 0;
}

static uint32_t
common_to(const uint16_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t i = 0, j = 0, same = 0;

	while (i < n && j < n) {
		same += a[i] == b[j];
		if (a[i] <= b[j])
			i++;
		else
			j++;
	}
	return same;
}

/* How much of the token before is in this one; and remember this one. */
static int
count_again(struct k3_uses *u, struct k3_uses_layer *layer,
    const struct k3_route *r, struct k3_err *err)
{
	struct k3_uses_last **row = &u->last[r->layer], *last;

	if (*row == NULL &&
	    (*row = calloc(K3_USES_SEQUENCES, sizeof(**row))) == NULL)
		return no_memory(err);
	last = &(*row)[r->sequence % K3_USES_SEQUENCES];
	if (last->expert == NULL) {
		last->expert = calloc(u->shape.topk, sizeof(*last->expert));
		if (last->expert == NULL)
			return no_memory(err);
	} else if (last->sequence == r->sequence &&
		   last->position + 1 == r->position) {
		layer->pairs++;
		layer->again += common_to(last->expert, r->expert, r->n);
	}
	last->sequence = r->sequence;
	last->position = r->position;
	for (uint32_t i = 0; i < r->n; i++)
		last->expert[i] = (uint16_t)r->expert[i];
	return 0;
}

static void
count_guess(struct k3_uses_layer *layer, const struct k3_route *r,
    const struct k3_route *guess)
{
	layer->guesses++;
	layer->guessed += guess->n;
	for (uint32_t i = 0, j = 0; i < r->n && j < guess->n;)
		if (r->expert[i] == guess->expert[j]) {
			layer->right++;
			i++;
			j++;
		} else if (r->expert[i] < guess->expert[j]) {
			i++;
		} else {
			j++;
		}
}

int
k3_uses_add(struct k3_uses *u, const struct k3_route *r,
    const struct k3_route *guess, struct k3_err *err)
{
	bool other_pass = u->kind == NULL || r->pass != u->pass;
	struct k3_uses_layer *layer;

	if (other_pass && k3_uses_end(u, err) != 0)
		return -1;
	if (!other_pass && r->layer != u->layer && end_visit(u, err) != 0)
		return -1;
	u->kind = r->kind == 'p' ? &u->prefill : &u->decode;
	u->kind->passes += other_pass;
	u->pass = r->pass;
	u->layer = r->layer;
	u->lines++;
	layer = &u->kind->layer[r->layer];
	if (layer->picks == NULL) {
		layer->picks = calloc(u->shape.experts, sizeof(*layer->picks));
		if (layer->picks == NULL)
			return no_memory(err);
	}
	layer->lines++;
	for (uint32_t i = 0; i < r->n; i++) {
		layer->picks[r->expert[i]]++;
		u->wanted[r->expert[i] / BITS] |= (uint64_t)1
						  << r->expert[i] % BITS;
	}
	if (guess != NULL)
		count_guess(layer, r, guess);
	return count_again(u, layer, r, err);
}
