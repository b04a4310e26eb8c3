/*
 * cache-model.h - the policy of common/cache.c once more, as slow as can be
 *
 * Written from the head comment of that file.  Nothing is linked and nothing
 * kept that can be looked for: a victim is found by going through all slots.
 */
#ifndef K3_TESTS_CACHE_MODEL_H
#define K3_TESTS_CACHE_MODEL_H

#include <stdbool.h>
#include <string.h>

#include "common/cache.h"

#define MODEL_KEYS  256
#define MODEL_NEVER 0

struct model_slot {
	uint32_t key;
	uint64_t placed; /* when it was put where it is: a clock of moves */
	uint64_t turn;   /* order of refreshing within its layer */
	int bucket;      /* or -1: held */
};

struct model {
	struct k3_cache_shape shape;
	uint32_t avg[MODEL_KEYS][5], seen[MODEL_KEYS];
	uint32_t over[MODEL_KEYS]; /* [layer] */
	struct model_slot slot[MODEL_KEYS];
	uint32_t used, layer;
	uint64_t clock, n, ndemand, nrepeat, demands, lost;
	bool visiting, repeats, scored;
};

/* 2^31 (1 - 2^-shift)^n, n at most 64, each step rounded up. */
static inline uint32_t
model_power(unsigned shift, uint32_t n)
{
	uint32_t v = UINT32_C(1) << 31;

	while (n-- > 0)
		v -= v >> shift;
	return v;
}

static inline uint32_t
model_fade(unsigned shift, uint32_t avg, uint32_t age)
{
	uint64_t v = avg, high = UINT64_C(1) << 31;

	if (age >= 4096)
		return 0;
	v = v * model_power(shift, age % 64) >> 31;
	for (uint32_t i = 0; i < age / 64; i++)
		high = high * model_power(shift, 64) >> 31;
	return (uint32_t)(v * high >> 31);
}

static inline uint64_t
model_score(const struct model *m, uint32_t key)
{
	static const unsigned shift[5] = { 1, 3, 5, 7, 7 };
	static const unsigned weight[5] = { 12, 8, 16, 24, 1 };
	uint32_t over = m->over[key / m->shape.experts];
	uint64_t s = 0;

	for (int j = 0; j < 5; j++)
		s += weight[j] *
		     (uint64_t)model_fade(shift[j], m->avg[key][j],
			 over > m->seen[key] ? over - m->seen[key] : 0);
	return s;
}

static inline int
model_bucket(uint64_t s)
{
	int n = 0;

	for (s /= 128; s >= 16; s /= 2)
		n++;
	return (int)s + 8 * n;
}

static inline void
model_place(struct model *m, struct model_slot *s)
{
	s->bucket = model_bucket(model_score(m, s->key));
	s->placed = ++m->clock;
}

/* The held slot placed last, or first. */
static inline int
model_held(const struct model *m, bool last)
{
	int at = -1;

	for (int i = 0; i < (int)m->used; i++)
		if (m->slot[i].bucket < 0 &&
		    (at < 0 ||
			(m->slot[i].placed > m->slot[at].placed) == last))
			at = i;
	return at;
}

static inline void
model_refresh(struct model *m)
{
	uint64_t begin = ++m->clock;

	for (uint64_t n = 0; n < 16 * m->ndemand; n++) {
		struct model_slot *first = NULL;

		for (uint32_t i = 0; i < m->used; i++) {
			struct model_slot *s = &m->slot[i];

			if (s->key / m->shape.experts == m->layer &&
			    (first == NULL || s->turn < first->turn))
				first = s;
		}
		if (first == NULL || first->turn >= begin)
			return;
		model_place(m, first);
		first->turn = ++m->clock;
	}
}

static inline void
model_visit(struct model *m, uint32_t layer, uint64_t n)
{
	if (m->visiting) {
		m->over[m->layer]++;
		if (m->scored) {
			for (int i; (i = model_held(m, true)) >= 0;)
				model_place(m, &m->slot[i]);
			model_refresh(m);
		}
		m->repeats = m->nrepeat > 0;
	}
	m->visiting = true;
	m->layer = layer;
	m->n = n;
	m->ndemand = m->nrepeat = 0;
}

static inline void
model_learn(struct model *m, uint32_t key, bool cached)
{
	static const unsigned gain[5] = { 1, 3, 5, 7, 0 };
	static const unsigned loss[5] = { 1, 3, 5, 7, 7 };
	uint32_t now = m->over[m->layer] + 1;
	uint64_t share = UINT64_C(1) << 24;

	m->demands++;
	m->ndemand++;
	m->lost += m->seen[key] != MODEL_NEVER && !cached;
	m->scored = m->scored || m->lost * 128 > m->demands;
	m->nrepeat += m->seen[key] == now;
	m->repeats = m->repeats || m->nrepeat > 0;
	if (m->n > m->shape.topk)
		share = share * m->shape.topk / m->n;
	for (int j = 0; j < 5; j++) {
		uint32_t v =
		    model_fade(loss[j], m->avg[key][j], now - m->seen[key]);

		m->avg[key][j] =
		    v + (uint32_t)(((1073741824 - v) >> gain[j]) * share >> 24);
	}
	m->seen[key] = now;
}

/* The slot that gives way to 'key', or -1. */
static inline int
model_victim(const struct model *m, uint32_t key)
{
	int at = -1;

	for (int i = 0; i < (int)m->used; i++) {
		const struct model_slot *s = &m->slot[i];

		if (s->bucket >= 0 &&
		    (at < 0 || s->bucket < m->slot[at].bucket ||
			(s->bucket == m->slot[at].bucket &&
			    s->placed > m->slot[at].placed)))
			at = i;
	}
	if (at >= 0)
		return m->repeats || model_score(m, key) >
					 model_score(m, m->slot[at].key)
			   ? at
			   : -1;
	at = model_held(m, false);
	if (at >= 0 && !m->repeats &&
	    m->slot[at].key / m->shape.experts == m->layer &&
	    m->seen[m->slot[at].key] == m->over[m->layer] + 1)
		at = -1;
	return at;
}

static inline struct k3_cache_answer
model_demand(struct model *m, uint32_t expert)
{
	struct k3_cache_answer a = { K3_CACHE_BYPASS, K3_CACHE_NONE,
		K3_CACHE_NONE };
	uint32_t key = m->layer * m->shape.experts + expert;
	int at = -1;

	for (uint32_t i = 0; i < m->used; i++)
		if (m->slot[i].key == key)
			at = (int)i;
	model_learn(m, key, at >= 0);
	if (at >= 0) {
		a.kind = K3_CACHE_HIT;
	} else {
		if (m->used < m->shape.slots)
			at = (int)m->used++;
		else if ((at = model_victim(m, key)) >= 0)
			a.evicted = m->slot[at].key;
		else
			return a;
		a.kind = K3_CACHE_ADMIT;
		m->slot[at].key = key;
		m->slot[at].turn = ++m->clock;
	}
	a.slot = (uint32_t)at;
	m->slot[at].bucket = -1;
	m->slot[at].placed = ++m->clock;
	return a;
}

#endif
