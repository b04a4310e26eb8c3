/*
 * cache.c - which routed experts stay in memory
 *
 * Each expert that was ever demanded has a score, and the lowest score gives
 * way.  The score estimates how often the visits of its layer demand the
 * expert: a weighted sum of four averages of "demanded or not" that forget by
 * 1/2, 1/8, 1/32 and 1/128 a visit, for what a token, a phrase, a passage and
 * the text use, and, with a small weight, of how long ago the last demand was,
 * which decides among the rare.  Averages are kept as of the last demand;
 * absence only multiplies them by a power out of a table.
 *
 * - A miss enters if a slot is free, or if its score is above that of the
 *   victim; else it is bypassed.  So what is demanded once does not push out
 *   what is demanded often.  LRU lets it: a token goes through all layers, and
 *   with fewer slots than it has picks LRU never hits.
 * - A visit that demands n experts, more than topk (a chunk of a prompt, a
 *   batch), says less about each of them: they count by topk / n.
 * - Slots stand in buckets, eight for each doubling of the score.  The lowest
 *   bucket gives the one put there last: its layer has just been visited, so
 *   it would be idle for longest.
 * - What a visit demanded is held, in no bucket, until it is over.
 * - After a visit the other slots of its layer have grown older: up to
 *   REFRESH a demand are put into their buckets anew, in rotation.
 * - Until more than one demand in LOSS has missed what was demanded before,
 *   nothing needs a score: slots stay held, and the least recently demanded
 *   gives way.  Where nearly all fits, that is as good as anything.
 * - A visit that demands an expert twice belongs to a recorded recomputation,
 *   token by token.  In it and the one after each miss enters, if need be in
 *   place of the least recently demanded of its own visit.
 *
 * Work per demand is constant, all of it in integers, with nothing random.
 * Memory is 28 bytes a key and 24 a slot: 2.3 MB for K3's 82,432 experts, and
 * 0.5 MB for 20,000 slots, which hold 350 GB.
 *
 * Hits in percent; tests/simcache.c has the counts.  300 tokens of decoding
 * by Kimi-Linear 48B, 26 layers, 8 of 256 experts, 62,400 demands:
 *
 *	slots	   100	   208	   416	   832	  1664	  3328
 *	lru	  0.00	 23.43	 41.76	 57.58	 72.97	 87.08
 *	lfu	 20.55	 30.68	 41.48	 55.32	 71.77	 87.66
 *	own	 24.46	 36.15	 48.36	 61.48	 74.55	 87.48
 *	belady	 37.38	 51.88	 64.26	 75.34	 84.95	 91.17
 *
 * K3 recomputing 5 to 12 tokens eight times, 100,096 demands:
 *
 *	slots	   455	  3647	  7294
 *	lru	 36.24	 36.24	 49.19
 *	own	 38.14	 58.64	 83.90
 *	belady	 39.42	 61.74	 84.59
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cache.h"

#define NONE K3_CACHE_NONE

#define NAVG    5
#define ONE     (UINT32_C(1) << 30) /* an average of 1 */
#define NBUCKET 256
#define REFRESH 16
#define LOSS    128
#define NPOW    64
#define MAX_AGE (NPOW * NPOW) /* (127/128)^4096 is below 2^-46 */

/* The last average is one demand's age: a demand sets it to 1. */
static const unsigned gain[NAVG] = { 1, 3, 5, 7, 0 };
static const unsigned loss[NAVG] = { 1, 3, 5, 7, 7 };
static const uint64_t weight[NAVG] = { 12, 8, 16, 24, 1 };

struct key {
	uint32_t avg[NAVG]; /* as of visit 'seen' */
	uint32_t seen;      /* the layer's last visit that demanded it; 1.. */
	uint32_t slot;
};

/* In a bucket, or among what the visit has demanded; and in its layer. */
struct slot {
	uint32_t key;
	uint32_t next, prev;    /* a list with an end */
	uint32_t after, before; /* a ring */
	uint32_t bucket;        /* or NONE: held by the visit */
};

static_assert(sizeof(struct key) == K3_CACHE_KEY &&
		  sizeof(struct slot) == K3_CACHE_SLOT,
    "plans count what a key and a slot take");

struct k3_cache {
	struct k3_cache_shape shape;
	struct k3_cache_counts counts;
	struct key *key;
	struct slot *slot;
	uint32_t *ring;   /* [layer]: the slot to refresh next, or NONE */
	uint32_t *visits; /* [layer]: how many are over */
	uint32_t used;    /* slots that hold something */
	uint32_t layer;
	uint32_t share; /* what a demand of this visit counts, in 2^-24 */
	uint64_t ndemand, nrepeat; /* of this visit */
	bool repeats;              /* there were some in the last or in this */
	bool scored;               /* lost / demands has been above LOSS */
	uint64_t lost;             /* misses of what had been demanded before */
	bool visiting;
	uint32_t held, held_last; /* most recent first */
	uint32_t head[NBUCKET];
	uint64_t filled[NBUCKET / 64]; /* a bit for each bucket */
	uint32_t low[NAVG][NPOW];      /* (1 - 2^-loss)^i in 2^-31 */
	uint32_t high[NAVG][NPOW];     /* the same to the power of 64 i */
};

static void
fill_powers(struct k3_cache *c)
{
	for (unsigned j = 0; j < NAVG; j++) {
		uint32_t v = UINT32_C(1) << 31;
		uint64_t w = v;

		for (unsigned i = 0; i < NPOW; i++) {
			c->low[j][i] = v;
			v -= v >> loss[j];
		}
		for (unsigned i = 0; i < NPOW; i++) {
			c->high[j][i] = (uint32_t)w;
			w = w * v >> 31;
		}
	}
}

struct k3_cache *
k3_cache_open(const struct k3_cache_shape *shape, struct k3_err *err)
{
	uint64_t keys = (uint64_t)shape->layers * shape->experts;
	struct k3_cache *c = NULL;

	if (keys < NONE && shape->slots < NONE)
		c = calloc(1, sizeof(*c));
	if (c == NULL)
		goto nomem;
	c->shape = *shape;
	c->key = calloc(keys + 1, sizeof(*c->key));
	c->slot = calloc((size_t)shape->slots + 1, sizeof(*c->slot));
	c->ring = malloc(((size_t)shape->layers + 1) * sizeof(*c->ring));
	c->visits = calloc((size_t)shape->layers + 1, sizeof(*c->visits));
	if (c->key == NULL || c->slot == NULL || c->ring == NULL ||
	    c->visits == NULL)
		goto nomem;
	for (uint64_t k = 0; k < keys; k++)
		c->key[k].slot = NONE;
	memset(c->ring, 0xff, shape->layers * sizeof(*c->ring));
	memset(c->head, 0xff, sizeof(c->head));
	c->held = c->held_last = NONE;
	fill_powers(c);
	return c;
nomem:
	k3_cache_close(c);
	k3_fail(err, EX_OSERR, "cannot allocate 'cache': out of memory");
	return NULL;
}

void
k3_cache_close(struct k3_cache *c)
{
	if (c == NULL)
		return;
	free(c->key);
	free(c->slot);
	free(c->ring);
	free(c->visits);
	free(c);
}

/* What is left of an average after 'age' visits without a demand. */
static uint32_t
fade(const struct k3_cache *c, unsigned j, uint32_t avg, uint32_t age)
{
	uint64_t v = avg;

	if (age >= MAX_AGE)
		return 0;
	v = v * c->low[j][age % NPOW] >> 31;
	return (uint32_t)(v * c->high[j][age / NPOW] >> 31);
}

/* Below 2^36: the weights' sum is below 64. */
static uint64_t
score(const struct k3_cache *c, uint32_t k)
{
	const struct key *key = &c->key[k];
	uint32_t over = c->visits[k / c->shape.experts];
	uint32_t age = over > key->seen ? over - key->seen : 0;
	uint64_t s = 0;

	for (unsigned j = 0; j < NAVG; j++)
		s += weight[j] * fade(c, j, key->avg[j], age);
	return s;
}

/* Eight for each doubling; 2^-30 of the largest score is nothing. */
static unsigned
bucket_of(uint64_t s)
{
	unsigned top;

	s >>= 7;
	if (s < 8)
		return (unsigned)s;
	top = 63 - (unsigned)__builtin_clzll(s);
	return (top - 2) * 8 + (unsigned)(s >> (top - 3) & 7);
}

static void
unlink_slot(struct k3_cache *c, uint32_t i)
{
	const struct slot *s = &c->slot[i];
	uint32_t *head = s->bucket == NONE ? &c->held : &c->head[s->bucket];

	if (s->prev != NONE)
		c->slot[s->prev].next = s->next;
	else
		*head = s->next;
	if (s->next != NONE)
		c->slot[s->next].prev = s->prev;
	else if (s->bucket == NONE)
		c->held_last = s->prev;
	if (s->bucket != NONE && *head == NONE)
		c->filled[s->bucket / 64] &= ~(UINT64_C(1) << s->bucket % 64);
}

static void
link_slot(struct k3_cache *c, uint32_t i, uint32_t bucket)
{
	uint32_t *head = bucket == NONE ? &c->held : &c->head[bucket];
	struct slot *s = &c->slot[i];

	s->bucket = bucket;
	s->prev = NONE;
	s->next = *head;
	if (s->next != NONE)
		c->slot[s->next].prev = i;
	else if (bucket == NONE)
		c->held_last = i;
	*head = i;
	if (bucket != NONE)
		c->filled[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

static void
refresh(struct k3_cache *c, uint32_t i)
{
	unlink_slot(c, i);
	link_slot(c, i, bucket_of(score(c, c->slot[i].key)));
}

/* Slots of a layer are a ring; a new one is refreshed last. */
static void
join_layer(struct k3_cache *c, uint32_t i)
{
	uint32_t *first = &c->ring[c->slot[i].key / c->shape.experts];
	struct slot *s = &c->slot[i];

	if (*first == NONE) {
		*first = s->after = s->before = i;
		return;
	}
	s->after = *first;
	s->before = c->slot[*first].before;
	c->slot[s->before].after = i;
	c->slot[s->after].before = i;
}

static void
leave_layer(struct k3_cache *c, uint32_t i)
{
	const struct slot *s = &c->slot[i];
	uint32_t *first = &c->ring[s->key / c->shape.experts];

	c->slot[s->before].after = s->after;
	c->slot[s->after].before = s->before;
	if (*first == i)
		*first = s->after == i ? NONE : s->after;
}

static void
end_visit(struct k3_cache *c)
{
	uint32_t *first = &c->ring[c->layer], start = *first;

	c->visits[c->layer]++;
	if (!c->scored)
		return;
	while (c->held != NONE)
		refresh(c, c->held);
	if (start == NONE)
		return;
	for (uint64_t n = REFRESH * c->ndemand; n > 0; n--) {
		refresh(c, *first);
		*first = c->slot[*first].after;
		if (*first == start)
			break;
	}
}

void
k3_cache_visit(struct k3_cache *c, uint32_t layer, uint64_t n)
{
	assert(layer < c->shape.layers);
	if (c->visiting) {
		end_visit(c);
		c->repeats = c->nrepeat > 0;
	}
	c->visiting = true;
	c->layer = layer;
	c->ndemand = c->nrepeat = 0;
	c->share = UINT32_C(1) << 24;
	if (n > c->shape.topk)
		c->share = (uint32_t)(((uint64_t)c->shape.topk << 24) / n);
}

/* Count the demand into the averages. */
static void
learn(struct k3_cache *c, struct key *key)
{
	uint32_t now = c->visits[c->layer] + 1;

	c->ndemand++;
	if (key->seen == now) {
		c->nrepeat++;
		c->repeats = true;
	}
	for (unsigned j = 0; j < NAVG; j++) {
		uint32_t v = fade(c, j, key->avg[j], now - key->seen);
		uint64_t more = (ONE - v) >> gain[j];

		key->avg[j] = v + (uint32_t)(more * c->share >> 24);
	}
	key->seen = now;
}

/* Whether a held slot can be given away before its visit is over. */
static bool
may_drop(const struct k3_cache *c, uint32_t i)
{
	return i != NONE &&
	       (c->repeats || c->slot[i].key / c->shape.experts != c->layer ||
		   c->key[c->slot[i].key].seen <= c->visits[c->layer]);
}

/* A slot for key 'k', out of all lists; or NONE: it is not worth one. */
static uint32_t
make_room(struct k3_cache *c, uint32_t k, uint32_t *evicted)
{
	uint32_t i = NONE;

	if (c->used < c->shape.slots)
		return c->used++;
	for (unsigned w = 0; w < NBUCKET / 64 && i == NONE; w++)
		if (c->filled[w] != 0)
			i = c->head[w * 64 +
				    (unsigned)__builtin_ctzll(c->filled[w])];
	if (i == NONE)
		i = may_drop(c, c->held_last) ? c->held_last : NONE;
	else if (!c->repeats && score(c, k) <= score(c, c->slot[i].key))
		i = NONE;
	if (i == NONE)
		return NONE;
	unlink_slot(c, i);
	leave_layer(c, i);
	*evicted = c->slot[i].key;
	c->key[*evicted].slot = NONE;
	c->counts.evictions++;
	return i;
}

struct k3_cache_answer
k3_cache_demand(struct k3_cache *c, uint32_t expert)
{
	struct k3_cache_answer a = { K3_CACHE_BYPASS, NONE, NONE };
	uint32_t k = c->layer * c->shape.experts + expert;
	struct key *key = &c->key[k];

	assert(c->visiting && expert < c->shape.experts);
	c->counts.demands++;
	c->lost += key->slot == NONE && key->seen != 0;
	c->scored |= c->lost * LOSS > c->counts.demands;
	learn(c, key);
	a.slot = key->slot;
	if (a.slot != NONE) {
		c->counts.hits++;
		a.kind = K3_CACHE_HIT;
		unlink_slot(c, a.slot);
		link_slot(c, a.slot, NONE);
		return a;
	}
	c->counts.misses++;
	a.slot = make_room(c, k, &a.evicted);
	if (a.slot == NONE) {
		c->counts.bypassed++;
		return a;
	}
	a.kind = K3_CACHE_ADMIT;
	key->slot = a.slot;
	c->slot[a.slot].key = k;
	join_layer(c, a.slot);
	link_slot(c, a.slot, NONE);
	return a;
}

const struct k3_cache_counts *
k3_cache_counts(const struct k3_cache *c)
{
	return &c->counts;
}

bool
k3_cache_holds(const struct k3_cache *c, uint32_t layer, uint32_t expert)
{
	return c->key[layer * c->shape.experts + expert].slot != NONE;
}
