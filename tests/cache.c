/*
 * cache.c - which routed experts stay in memory
 */
#include <stdlib.h>
#include <string.h>

#include "common/cache.h"
#include "tests/cache-model.h"
#include "tests/tap.h"

static uint32_t
draw(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % n);
}

/* What one visit demands: a few experts, all, or some of them again. */
struct visit {
	uint32_t layer, n, expert[128];
};

enum shape {
	TOKENS,
	CHUNKS,
	REPEATS
};

static void
draw_visit(uint64_t *seed, const struct k3_cache_shape *s, enum shape shape,
    struct visit *v)
{
	uint32_t share = shape == CHUNKS && draw(seed, 3) == 0
			     ? 1 + draw(seed, s->experts)
			     : s->topk;

	v->layer = draw(seed, s->layers);
	v->n = 0;
	for (uint32_t e = 0; e < s->experts && v->n < 100; e++) {
		/* Low numbers are demanded more often, the last hardly. */
		if (e >= 30 && draw(seed, 512) != 0)
			continue;
		if (draw(seed, s->experts) >= share * (e < s->topk ? 4 : 1))
			continue;
		v->expert[v->n++] = e;
		if (shape == REPEATS && draw(seed, 2) == 0)
			v->expert[v->n++] = e;
		if (shape == REPEATS && draw(seed, 4) == 0) {
			uint32_t again = v->expert[draw(seed, v->n)];

			v->expert[v->n++] = again;
		}
	}
}

/* What the answers say that each slot holds. */
struct mirror {
	uint32_t key[MODEL_KEYS];   /* [slot] */
	uint32_t visit[MODEL_KEYS]; /* [slot]: when it answered last */
	struct k3_cache_counts counts;
};

/* NULL, or what is wrong with an answer. */
static const char *
follow(struct mirror *m, uint32_t key, struct k3_cache_answer a, uint32_t slots,
    uint32_t visit, bool repeats)
{
	uint32_t at = K3_CACHE_NONE;

	for (uint32_t i = 0; i < slots; i++)
		if (m->key[i] == key)
			at = i;
	m->counts.demands++;
	m->counts.hits += a.kind == K3_CACHE_HIT;
	m->counts.misses += a.kind != K3_CACHE_HIT;
	m->counts.bypassed += a.kind == K3_CACHE_BYPASS;
	m->counts.evictions += a.evicted != K3_CACHE_NONE;
	if ((a.kind == K3_CACHE_HIT) != (at != K3_CACHE_NONE))
		return "a hit is what is in a slot";
	if (a.kind == K3_CACHE_BYPASS)
		return a.slot == K3_CACHE_NONE && a.evicted == K3_CACHE_NONE
			   ? NULL
			   : "no slot for what passes by";
	if (a.slot >= slots)
		return "a slot there is";
	if (a.kind == K3_CACHE_HIT && a.slot != at)
		return "the slot that holds it";
	if (a.kind == K3_CACHE_ADMIT && a.evicted != m->key[a.slot])
		return "evicted is what was in the slot";
	if (a.kind == K3_CACHE_ADMIT && m->visit[a.slot] == visit && !repeats)
		return "a slot that answered stays until its visit is over";
	m->key[a.slot] = key;
	m->visit[a.slot] = visit;
	return NULL;
}

static const char *
check_demand(struct k3_cache *c, struct model *model, struct mirror *mirror,
    uint32_t expert, uint32_t visit, bool repeats)
{
	struct k3_cache_answer a = k3_cache_demand(c, expert);
	struct k3_cache_answer b = model_demand(model, expert);

	if (a.kind != b.kind || a.slot != b.slot || a.evicted != b.evicted)
		return "the answer of the slow model";
	return follow(mirror, model->layer * model->shape.experts + expert, a,
	    model->shape.slots, visit, repeats);
}

static void
check_random(const struct k3_cache_shape *shape, enum shape what,
    const char *name, unsigned nvisit)
{
	static struct model model;
	static struct mirror mirror;
	struct k3_err err;
	struct k3_cache *c = k3_cache_open(shape, &err);
	uint64_t seed = 7 + shape->slots;
	const char *wrong = c == NULL ? err.msg : NULL;
	unsigned n = 0;
	struct visit v;

	memset(&model, 0, sizeof(model));
	memset(&mirror, 0, sizeof(mirror));
	memset(mirror.key, 0xff, sizeof(mirror.key));
	model.shape = *shape;
	while (wrong == NULL && n++ < nvisit) {
		draw_visit(&seed, shape, what, &v);
		k3_cache_visit(c, v.layer, v.n);
		model_visit(&model, v.layer, v.n);
		for (uint32_t i = 0; i < v.n && wrong == NULL; i++)
			wrong = check_demand(c, &model, &mirror, v.expert[i], n,
			    what == REPEATS);
	}
	if (wrong == NULL && memcmp(k3_cache_counts(c), &mirror.counts,
				 sizeof(mirror.counts)) != 0)
		wrong = "the counts are those of the answers";
	if (!ok(wrong == NULL, "%s, %u slots: as the slow model says", name,
		shape->slots))
		diag("visit %u: not %s", n, wrong);
	k3_cache_close(c);
}

/* The hits of one pass over 'n' experts of each layer, from 'first' on. */
static unsigned
pass(struct k3_cache *c, uint32_t layers, uint32_t first, uint32_t n)
{
	unsigned hits = 0;

	for (uint32_t l = 0; l < layers; l++) {
		k3_cache_visit(c, l, n);
		for (uint32_t e = first; e < first + n; e++)
			hits += k3_cache_demand(c, e).kind == K3_CACHE_HIT;
	}
	return hits;
}

static void
check_scan(void)
{
	static const struct k3_cache_shape shape = { 6, 64, 4, 30 };
	struct k3_err err;
	struct k3_cache *c = k3_cache_open(&shape, &err);
	unsigned hits = 0;

	if (c == NULL)
		return (void)ok(false, "%s", err.msg);
	/* Something must have been lost before it is more than LRU. */
	pass(c, 6, 40, 6);
	pass(c, 6, 40, 6);
	for (unsigned i = 0; i < 30; i++)
		hits = pass(c, 6, 10, 4);
	ok(hits == 24, "what each token uses is in memory");
	pass(c, 6, 0, 64);
	hits = pass(c, 6, 10, 4);
	if (!ok(hits == 24, "and still is after a chunk that used all"))
		diag("%u of 24", hits);
	k3_cache_close(c);
}

static void
check_edges(void)
{
	struct k3_cache_shape shape = { 3, 8, 2, 24 };
	struct k3_err err;
	struct k3_cache *c = k3_cache_open(&shape, &err);

	if (c == NULL)
		return (void)ok(false, "%s", err.msg);
	pass(c, 3, 0, 8);
	ok(pass(c, 3, 0, 8) == 24 && k3_cache_counts(c)->evictions == 0,
	    "with a slot for each key nothing is evicted");
	k3_cache_close(c);
	shape.layers = UINT32_MAX;
	ok(k3_cache_open(&shape, &err) == NULL && err.code == EX_OSERR,
	    "more keys than 32 bits number are refused");
}

int
main(void)
{
	static const uint32_t slots[] = { 0, 1, 2, 3, 5, 9, 17, 40, 90, 120 };
	struct k3_cache_shape few = { 5, 24, 4, 0 }, one = { 1, 40, 3, 0 };

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		few.slots = slots[i];
		check_random(&few, TOKENS, "tokens", 3000);
		check_random(&few, CHUNKS, "tokens and chunks", 1000);
		check_random(&few, REPEATS, "repeats", 1000);
	}
	/* Ages beyond the table of powers. */
	one.slots = 6;
	check_random(&one, TOKENS, "one layer", 9000);
	check_scan();
	check_edges();
	return tap_done();
}
