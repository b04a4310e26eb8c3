/*
 * uses-figures.c - figures of counted uses, as k3-trace-stat(1) defines them
 */
#include <math.h>
#include <stdlib.h>

#include "common/uses.h"

static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static int
falling(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/*
 * What the hottest of 'n' experts cover.  The counts that are not 0 are enough,
 * 'used' of them.
 */
static int
set_cover(const struct k3_uses *u, const struct k3_uses_kind *kind,
    uint32_t first, uint32_t end, struct k3_uses_figures *f, struct k3_err *err)
{
	static const unsigned part[K3_USES_COVERS] = { 16, 4, 2 };
	uint64_t n = f->layers * u->shape.experts, sum = 0, *hot;
	size_t at = 0;

	hot = malloc((size_t)(f->used + 1) * sizeof(*hot));
	if (hot == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for %zu experts", (size_t)f->used);
	for (uint32_t l = first; l < end; l++) {
		const uint64_t *picks = kind->layer[l].picks;

		for (uint32_t e = 0; e < u->shape.experts && picks != NULL; e++)
			if (picks[e] > 0)
				hot[at++] = picks[e];
	}
	qsort(hot, at, sizeof(*hot), falling);
	at = 0;
	for (int i = 0; i < K3_USES_COVERS; i++) {
		uint64_t upto = (n + part[i] - 1) / part[i];

		while (at < upto && at < f->used)
			sum += hot[at++];
		f->cover[i] =
		    share((double)sum, (double)f->lines * u->shape.topk);
	}
	free(hot);
	return 0;
}

/* Entropy of a layer, and the experts that it used. */
static double
entropy(const struct k3_uses_layer *layer, uint32_t experts, uint64_t *used)
{
	double sum = 0, h = 0;

	for (uint32_t e = 0; e < experts; e++)
		sum += (double)layer->picks[e];
	for (uint32_t e = 0; e < experts; e++)
		if (layer->picks[e] > 0) {
			h += (double)layer->picks[e] *
			     log2(sum / (double)layer->picks[e]);
			++*used;
		}
	return h / sum;
}

int
k3_uses_figures(const struct k3_uses *u, const struct k3_uses_kind *kind,
    uint32_t first, uint32_t end, struct k3_uses_figures *f, struct k3_err *err)
{
	double topk = u->shape.topk, again = 0, right = 0, guessed = 0, h = 0;

	*f = (struct k3_uses_figures){ 0 };
	for (uint32_t l = first; l < end; l++) {
		const struct k3_uses_layer *layer = &kind->layer[l];

		if (layer->picks == NULL)
			continue;
		f->layers++;
		f->lines += layer->lines;
		f->demands += layer->demands;
		f->pairs += layer->pairs;
		f->guesses += layer->guesses;
		again += (double)layer->again;
		guessed += (double)layer->guessed;
		right += (double)layer->right;
		h += entropy(layer, u->shape.experts, &f->used);
	}
	f->reuse = share(again, (double)f->pairs * topk);
	f->recall = share(again, (double)f->lines * topk);
	f->entropy = share(h, (double)f->layers);
	f->entropy_share = share(f->entropy, log2(u->shape.experts));
	f->precision = share(right, guessed);
	f->guessed = share(right, (double)f->lines * topk);
	return set_cover(u, kind, first, end, f, err);
}

int64_t
k3_uses_quartile(const struct k3_uses_kind *kind, unsigned q)
{
	uint64_t all = 0, sum = 0, want;

	for (size_t d = 0; d < kind->ndistance; d++)
		all += kind->distance[d];
	/* The quarters of 'all', rounded up. */
	want = all / 4 * q + (all % 4 * q + 3) / 4;
	for (size_t d = 0; d < kind->ndistance; d++)
		if ((sum += kind->distance[d]) >= want && sum > 0)
			return (int64_t)d;
	return -1;
}

static int
hotter(const void *a, const void *b)
{
	const struct k3_uses_hot *x = a, *y = b;

	if (x->picks != y->picks)
		return x->picks > y->picks ? -1 : 1;
	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	return x->expert < y->expert ? -1 : 1;
}

/* Experts that have picks. */
static size_t
count_used(const struct k3_uses *u, const struct k3_uses_kind *kind)
{
	size_t n = 0;

	for (uint32_t l = 0; l < u->shape.layers; l++) {
		const uint64_t *picks = kind->layer[l].picks;

		for (uint32_t e = 0; e < u->shape.experts && picks != NULL; e++)
			n += picks[e] > 0;
	}
	return n;
}

int
k3_uses_hottest(const struct k3_uses *u, const struct k3_uses_kind *kind,
    size_t *n, struct k3_uses_hot **list, struct k3_err *err)
{
	size_t used = count_used(u, kind), at = 0;

	*list = malloc((used + 1) * sizeof(**list));
	if (*list == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for %zu experts", used);
	for (uint32_t l = 0; l < u->shape.layers; l++) {
		const uint64_t *picks = kind->layer[l].picks;

		for (uint32_t e = 0; e < u->shape.experts && picks != NULL; e++)
			if (picks[e] > 0)
				(*list)[at++] =
				    (struct k3_uses_hot){ picks[e], l, e };
	}
	qsort(*list, at, sizeof(**list), hotter);
	if (*n > at)
		*n = at;
	return 0;
}
