/*
 * simcache.c - what a cache of any size and policy would have hit
 *
 * Constant work per demand, but for belady: it keeps a tournament of the
 * slots' next demands, whose winner is the one farthest away.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/simcache.h"

#define NONE UINT32_MAX

/* Slots in lists: one for lru, one for each count for lfu. */
struct link {
	uint32_t key, older, newer;
};

struct list {
	uint32_t oldest, newest;
};

/* Arrays that all sizes of one call share. */
struct work {
	const struct k3_simcache *sim;
	uint64_t keys;
	size_t slots, lists; /* allocated */
	uint32_t *key;       /* [demand] */
	uint32_t *where;     /* [key]: slot, or NONE */
	uint32_t *count;     /* [key]: demands so far, lfu; last, belady */
	uint32_t *next;      /* [demand]: of the same key, or n; belady */
	uint32_t *tree;      /* [2 * slots], rounded up; belady */
	struct link *link;   /* [slot] */
	struct list *list;   /* [count] */
	uint32_t used;
};

static void
take(struct work *w, uint32_t l, uint32_t i)
{
	const struct link *s = &w->link[i];

	if (s->older != NONE)
		w->link[s->older].newer = s->newer;
	else
		w->list[l].oldest = s->newer;
	if (s->newer != NONE)
		w->link[s->newer].older = s->older;
	else
		w->list[l].newest = s->older;
}

static void
put(struct work *w, uint32_t l, uint32_t i)
{
	struct link *s = &w->link[i];

	s->newer = NONE;
	s->older = w->list[l].newest;
	if (s->older != NONE)
		w->link[s->older].newer = i;
	else
		w->list[l].oldest = i;
	w->list[l].newest = i;
}

/* Key 'k' moves into slot 'i', which is new or whose key leaves. */
static void
move_in(struct work *w, uint32_t k, uint32_t i, struct k3_cache_counts *c)
{
	if (i == w->used) {
		w->used++;
	} else {
		w->where[w->link[i].key] = NONE;
		c->evictions++;
	}
	w->link[i].key = k;
	w->where[k] = i;
}

static void
lru(struct work *w, uint32_t slots, struct k3_cache_counts *c)
{
	for (size_t d = 0; d < w->sim->n && slots > 0; d++) {
		uint32_t k = w->key[d], i = w->where[k];

		if (i != NONE) {
			c->hits++;
			take(w, 0, i);
		} else {
			i = w->used;
			if (i == slots) {
				i = w->list[0].oldest;
				take(w, 0, i);
			}
			move_in(w, k, i, c);
		}
		put(w, 0, i);
	}
}

static void
lfu(struct work *w, uint32_t slots, struct k3_cache_counts *c)
{
	uint32_t least = 1; /* no cached key has a lower count */

	for (size_t d = 0; d < w->sim->n && slots > 0; d++) {
		uint32_t k = w->key[d], i = w->where[k];
		uint32_t n = ++w->count[k];

		if (i != NONE) {
			c->hits++;
			take(w, n - 1, i);
		} else if (w->used < slots) {
			i = w->used;
			least = n < least ? n : least;
			move_in(w, k, i, c);
		} else {
			while (w->list[least].oldest == NONE)
				least++;
			if (n < least) {
				c->bypassed++;
				continue;
			}
			i = w->list[least].oldest;
			take(w, least, i);
			move_in(w, k, i, c);
		}
		put(w, n, i);
	}
}

/* Slot 'i' is wanted next at 'when'; a node is the later of two. */
static void
set(uint32_t *tree, uint32_t leaves, uint32_t i, uint32_t when)
{
	uint32_t x = leaves + i;

	for (tree[x] = when; x > 1; x /= 2) {
		uint32_t later = tree[x] > tree[x ^ 1] ? tree[x] : tree[x ^ 1];

		if (tree[x / 2] == later)
			return;
		tree[x / 2] = later;
	}
}

static void
belady(struct work *w, uint32_t slots, struct k3_cache_counts *c)
{
	uint32_t leaves = 1;

	while (leaves < slots)
		leaves *= 2;
	memset(w->tree, 0, 2 * (size_t)leaves * sizeof(*w->tree));
	for (size_t d = 0; d < w->sim->n && slots > 0; d++) {
		uint32_t k = w->key[d], i = w->where[k];

		if (i != NONE) {
			c->hits++;
		} else if (w->used < slots) {
			i = w->used;
			move_in(w, k, i, c);
		} else {
			for (i = 1; i < leaves;) {
				i *= 2;
				i += w->tree[i] != w->tree[1];
			}
			i -= leaves;
			move_in(w, k, i, c);
		}
		set(w->tree, leaves, i, w->next[d]);
	}
}

static int
own(const struct k3_simcache *sim, uint32_t slots, struct k3_cache_counts *c,
    struct k3_err *err)
{
	struct k3_cache_shape shape = { sim->layers, sim->experts, sim->topk,
		slots };
	struct k3_cache *cache = k3_cache_open(&shape, err);
	const struct k3_demand *d = sim->demand, *end = d + sim->n;

	if (cache == NULL)
		return -1;
	while (d < end) {
		const struct k3_demand *e = d;

		while (e < end && e->pass == d->pass && e->layer == d->layer)
			e++;
		k3_cache_visit(cache, d->layer, (uint64_t)(e - d));
		for (; d < e; d++)
			k3_cache_demand(cache, d->expert);
	}
	*c = *k3_cache_counts(cache);
	k3_cache_close(cache);
	return 0;
}

static int
prepare(struct work *w, const struct k3_simcache *sim, struct k3_err *err)
{
	w->sim = sim;
	w->keys = (uint64_t)sim->layers * sim->experts;
	if (w->keys >= NONE || sim->n >= NONE) {
		k3_fail(err, EX_DATAERR, "too many experts or demands");
		return -1;
	}
	w->key = malloc((sim->n + 1) * sizeof(*w->key));
	w->next = malloc((sim->n + 1) * sizeof(*w->next));
	w->where = malloc((w->keys + 1) * sizeof(*w->where));
	w->count = calloc(w->keys + 1, sizeof(*w->count));
	w->link = malloc((w->slots + 1) * sizeof(*w->link));
	w->tree = malloc(4 * (w->slots + 1) * sizeof(*w->tree));
	if (w->key == NULL || w->next == NULL || w->where == NULL ||
	    w->count == NULL || w->link == NULL || w->tree == NULL)
		goto nomem;
	for (size_t d = 0; d < sim->n; d++) {
		const struct k3_demand *x = &sim->demand[d];

		if (x->layer >= sim->layers || x->expert >= sim->experts) {
			k3_fail(err, EX_DATAERR,
			    "demand %zu: no expert %u in layer %u", d,
			    x->expert, x->layer);
			return -1;
		}
		w->key[d] = x->layer * sim->experts + x->expert;
		w->count[w->key[d]]++;
	}
	for (uint64_t k = 0; k < w->keys; k++) {
		if (w->count[k] > w->lists)
			w->lists = w->count[k];
		w->count[k] = (uint32_t)sim->n;
	}
	w->list = malloc((w->lists + 1) * sizeof(*w->list));
	if (w->list == NULL)
		goto nomem;
	for (size_t d = sim->n; d-- > 0;) {
		w->next[d] = w->count[w->key[d]];
		w->count[w->key[d]] = (uint32_t)d;
	}
	return 0;
nomem:
	k3_fail(err, EX_OSERR, "cannot allocate 'replay': out of memory");
	return -1;
}

static void
replay(struct work *w, enum k3_sim_policy policy, uint32_t slots,
    struct k3_cache_counts *c)
{
	memset(c, 0, sizeof(*c));
	memset(w->where, 0xff, w->keys * sizeof(*w->where));
	memset(w->count, 0, w->keys * sizeof(*w->count));
	memset(w->list, 0xff, (w->lists + 1) * sizeof(*w->list));
	w->used = 0;
	if (policy == K3_SIM_LRU)
		lru(w, slots, c);
	else if (policy == K3_SIM_LFU)
		lfu(w, slots, c);
	else
		belady(w, slots, c);
	c->demands = w->sim->n;
	c->misses = c->demands - c->hits;
	if (slots == 0)
		c->bypassed = c->misses;
}

int
k3_simcache(const struct k3_simcache *sim, enum k3_sim_policy policy,
    const uint32_t *slots, size_t nsize, struct k3_cache_counts *counts,
    struct k3_err *err)
{
	struct work w = { .slots = 0 };
	int ret;

	/* No more slots than keys are ever filled. */
	for (size_t i = 0; i < nsize; i++)
		w.slots = slots[i] > w.slots ? slots[i] : w.slots;
	if (w.slots > (uint64_t)sim->layers * sim->experts)
		w.slots = (size_t)sim->layers * sim->experts;
	ret = prepare(&w, sim, err);
	for (size_t i = 0; i < nsize && ret == 0; i++) {
		uint32_t n = slots[i] < w.slots ? slots[i] : (uint32_t)w.slots;

		if (policy == K3_SIM_OWN)
			ret = own(sim, n, &counts[i], err);
		else
			replay(&w, policy, n, &counts[i]);
	}
	free(w.key);
	free(w.next);
	free(w.where);
	free(w.count);
	free(w.link);
	free(w.tree);
	free(w.list);
	return ret;
}
