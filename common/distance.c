/*
 * distance.c - how many others were demanded since: reuse distances, exactly
 *
 * Demands stand on an axis of time, on which the last demand of each has a
 * mark: a distance is the number of marks after a place.  They are counted by
 * a Fenwick tree over words of 64 places (Bennett and Kruskal, "LRU stack
 * processing", 1975).  A full axis is written anew with nothing but its marks.
 */
#include <stdlib.h>
#include <string.h>

#include "common/distance.h"

#define BITS 64

struct k3_distance {
	uint32_t layers, experts;
	uint32_t *
	    *when;    /* [layers][experts]: place + 1, or 0; rows as needed */
	uint32_t now; /* the next place */
	uint32_t marks;
	uint32_t words; /* of the axis, which is this times 64 places long */
	uint64_t *mark; /* [words] */
	uint32_t *tree; /* [words + 1], of the marks in each word */
	uint32_t *key;  /* [64 * words]: layer * experts + expert */
};

struct k3_distance *
k3_distance_new(uint32_t layers, uint32_t experts, struct k3_err *err)
{
	struct k3_distance *d = calloc(1, sizeof(*d));

	if (d != NULL)
		d->when = calloc(layers, sizeof(*d->when));
	if (d == NULL || d->when == NULL) {
		free(d);
		k3_fail(err, EX_OSERR,
		    "cannot allocate memory for reuse distances");
		return NULL;
	}
	d->layers = layers;
	d->experts = experts;
	return d;
}

static unsigned
popcount(uint64_t x)
{
	return (unsigned)__builtin_popcountll(x);
}

static void
add(struct k3_distance *d, uint32_t place, uint32_t n)
{
	d->mark[place / BITS] ^= (uint64_t)1 << place % BITS;
	for (uint32_t i = place / BITS + 1; i <= d->words; i += i & -i)
		d->tree[i] += n;
}

/* Marks up to this place. */
static uint32_t
rank(const struct k3_distance *d, uint32_t place)
{
	uint64_t upto = ~(uint64_t)0 >> (BITS - 1 - place % BITS);
	uint32_t n = popcount(d->mark[place / BITS] & upto);

	for (uint32_t i = place / BITS; i > 0; i &= i - 1)
		n += d->tree[i];
	return n;
}

/* Move the marks to the beginning of the axis. */
static void
pack(struct k3_distance *d)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < d->words; w++) {
		for (uint64_t m = d->mark[w]; m != 0; m &= m - 1) {
			uint32_t key =
			    d->key[w * BITS + (uint32_t)__builtin_ctzll(m)];

			d->key[n++] = key;
			d->when[key / d->experts][key % d->experts] = n;
		}
		d->mark[w] = 0;
	}
	d->now = n;
	for (uint32_t w = 0; w < n / BITS; w++)
		d->mark[w] = ~(uint64_t)0;
	if (n % BITS != 0)
		d->mark[n / BITS] = ((uint64_t)1 << n % BITS) - 1;
	for (uint32_t i = 1; i <= d->words; i++)
		d->tree[i] = popcount(d->mark[i - 1]);
	for (uint32_t i = 1; i <= d->words; i++)
		if (i + (i & -i) <= d->words)
			d->tree[i + (i & -i)] += d->tree[i];
}

/* Make the axis at least twice as long as its marks need. */
static int
renew(struct k3_distance *d, struct k3_err *err)
{
	uint32_t words = d->words;
	void *p;

	if (words < 16 || d->marks > words * (BITS / 2)) {
		words = words < 16 ? 16 : words * 2;
		if ((p = realloc(d->mark, words * sizeof(*d->mark))) == NULL)
			goto no_memory;
		d->mark = p;
		memset(d->mark + d->words, 0,
		    (words - d->words) * sizeof(*d->mark));
		p = realloc(d->tree, ((size_t)words + 1) * sizeof(*d->tree));
		if (p == NULL)
			goto no_memory;
		d->tree = p;
		p = realloc(d->key, (size_t)words * BITS * sizeof(*d->key));
		if (p == NULL)
			goto no_memory;
		d->key = p;
		d->words = words;
	}
	pack(d);
	return 0;
no_memory:
	return k3_fail(err, EX_OSERR, "cannot allocate memory for %zu demands",
	    (size_t)words * BITS);
}

int
k3_distance_demand(struct k3_distance *d, uint32_t layer, uint32_t expert,
    uint32_t *distance, struct k3_err *err)
{
	uint32_t **row = &d->when[layer], last;

	if (*row == NULL && (*row = calloc(d->experts, sizeof(**row))) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for %zu experts",
		    (size_t)d->experts);
	if (d->now == d->words * BITS && renew(d, err) != 0)
		return -1;
	last = (*row)[expert];
	if (last > 0) {
		*distance = d->marks - rank(d, last - 1);
		add(d, last - 1, (uint32_t)-1);
	} else {
		d->marks++;
	}
	d->key[d->now] = layer * d->experts + expert;
	add(d, d->now++, 1);
	(*row)[expert] = d->now;
	return last > 0;
}

void
k3_distance_free(struct k3_distance *d)
{
	if (d == NULL)
		return;
	for (uint32_t i = 0; i < d->layers; i++)
		free(d->when[i]);
	free(d->when);
	free(d->mark);
	free(d->tree);
	free(d->key);
	free(d);
}
