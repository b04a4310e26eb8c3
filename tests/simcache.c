/*
 * simcache.c - what caches of any size and policy would have hit
 */
#include <stdlib.h>
#include <string.h>

#include "common/simcache.h"
#include "tests/demands.h"
#include "tests/tap.h"

#define REAL "../shared/data/real/"

static const char *const policies[] = { "lru", "lfu", "own", "belady" };

#define NKEY 60
#define LONG 140000 /* more than is replayed at a time */

static struct demand random_demands[LONG];

/* As slow as can be: victims are looked for among all, and in all to come. */
struct slow {
	const struct demands *sim;
	enum k3_sim_policy policy;
	uint32_t held[NKEY], used;
	uint64_t count[NKEY], last[NKEY];
	struct k3_cache_counts c;
};

static uint32_t
key_at(const struct demands *sim, size_t d)
{
	return sim->demand[d].layer * sim->experts + sim->demand[d].expert;
}

/* How good a key in the cache is at demand 'd', the lowest being the victim. */
static uint64_t
worth(const struct slow *s, size_t d, uint32_t k)
{
	if (s->policy == K3_SIM_LRU)
		return s->last[k];
	if (s->policy == K3_SIM_LFU)
		return s->count[k] * s->sim->n + s->last[k];
	while (++d < s->sim->n && key_at(s->sim, d) != k)
		;
	return s->sim->n - d;
}

static void
slow_miss(struct slow *s, size_t d, uint32_t k, uint32_t slots)
{
	uint32_t victim = 0;

	s->c.misses++;
	if (s->used < slots) {
		s->held[s->used++] = k;
		return;
	}
	for (uint32_t i = 1; i < s->used; i++)
		if (worth(s, d, s->held[i]) < worth(s, d, s->held[victim]))
			victim = i;
	if (slots == 0 || (s->policy == K3_SIM_LFU &&
			      s->count[s->held[victim]] > s->count[k])) {
		s->c.bypassed++;
		return;
	}
	s->held[victim] = k;
	s->c.evictions++;
}

static struct k3_cache_counts
slow_counts(const struct demands *sim, enum k3_sim_policy policy,
    uint32_t slots)
{
	struct slow s = { .sim = sim, .policy = policy };

	for (size_t d = 0; d < sim->n; d++) {
		uint32_t k = key_at(sim, d), i = 0;

		s.c.demands++;
		s.count[k]++;
		s.last[k] = d;
		while (i < s.used && s.held[i] != k)
			i++;
		if (i < s.used)
			s.c.hits++;
		else
			slow_miss(&s, d, k, slots);
	}
	return s.c;
}

static void
draw(size_t n)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < n; i++) {
		struct demand *d = &random_demands[i];

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		d->pass = (uint32_t)i / 12;
		d->layer = (uint32_t)i / 4 % 3;
		d->expert = (uint32_t)(seed >> 40) % (NKEY / 3);
		if ((seed >> 33 & 1) == 0)
			d->expert /= 4;
	}
}

static void
check_slow(enum k3_sim_policy policy, size_t n, size_t nsize)
{
	static const uint32_t slots[] = { 8, 0, 1, 2, 3, 5, 3, 13, 40, 60, 99 };
	struct demands sim = { 3, NKEY / 3, 4, random_demands, n };
	struct k3_cache_counts c[11];
	struct k3_err err;
	bool same;

	draw(n);
	same = demands_replay(&sim, policy, slots, nsize, c, &err) == 0;
	for (size_t i = 0; i < nsize && same; i++) {
		struct k3_cache_counts s = slow_counts(&sim, policy, slots[i]);

		same = memcmp(&s, &c[i], sizeof(s)) == 0;
	}
	ok(same, "%s, %zu demands: counts what a slow search does",
	    policies[policy], n);
}

/* What an engine does, which has one cache and no blocks. */
static bool
engine_counts(const struct demands *sim, uint32_t slots,
    struct k3_cache_counts *counts)
{
	struct k3_cache_shape shape = { sim->layers, sim->experts, sim->topk,
		slots };
	struct k3_err err;
	struct k3_cache *cache = k3_cache_open(&shape, &err);

	if (cache == NULL)
		return false;
	for (size_t d = 0, n; d < sim->n; d += n) {
		const struct demand *v = &sim->demand[d];

		for (n = 1; d + n < sim->n && v[n].pass == v->pass &&
			    v[n].layer == v->layer;)
			n++;
		k3_cache_visit(cache, v->layer, n);
		for (size_t i = 0; i < n; i++)
			k3_cache_demand(cache, v[i].expert);
	}
	*counts = *k3_cache_counts(cache);
	k3_cache_close(cache);
	return true;
}

static void
check_own(void)
{
	static const uint32_t slots[] = { 8, 0, 21, 1, 40, 60 };
	/* Two less, so that a visit goes on in the next block. */
	struct demands sim = { 3, NKEY / 3, 4, random_demands + 2, LONG - 2 };
	struct k3_cache_counts c[6], want;
	struct k3_err err;
	bool same;
	uint64_t out = 0;

	draw(LONG);
	same = demands_replay(&sim, K3_SIM_OWN, slots, 6, c, &err) == 0;
	for (size_t i = 0; i < 6 && same; i++) {
		same = engine_counts(&sim, slots[i], &want) &&
		       memcmp(&want, &c[i], sizeof(want)) == 0;
		out += want.evictions;
	}
	ok(same && out > 0, "own, %d demands: counts what a cache does",
	    LONG - 2);
}

static void
check_bad(void)
{
	struct demand d[2] = { { 0, 0, 1 }, { 0, 1, 2 } };
	struct demands sim = { 2, 2, 1, d, 2 };
	struct k3_cache_counts c;
	uint32_t slots = 1;
	struct k3_err err;

	ok(demands_replay(&sim, K3_SIM_OWN, &slots, 1, &c, &err) == -1 &&
		err.code == EX_DATAERR,
	    "an expert that there is not is refused");
	sim.demand = random_demands;
	sim.experts = 20;
	sim.layers = 3;
	sim.n = LONG;
	ok(demands_replay_in(&sim, K3_SIM_BELADY, &slots, 1, &c, "/nowhere",
	       &err) == -1 &&
		err.code == EX_CANTCREAT &&
		strstr(err.msg, "'/nowhere'") != NULL,
	    "belady names the folder that it needs: %s", err.msg);
	sim.layers = K3_SIM_KEYS;
	ok(demands_replay(&sim, K3_SIM_LRU, &slots, 1, &c, &err) == -1 &&
		err.code == EX_DATAERR,
	    "too many experts are refused: %s", err.msg);
	sim.layers = 3;
	sim.n = 0;
	ok(demands_replay(&sim, K3_SIM_BELADY, &slots, 1, &c, &err) == 0 &&
		c.demands == 0 && c.hits == 0,
	    "no demands are no hits");
}

/* Hits of lru, lfu, own and belady. */
struct known {
	uint32_t slots;
	uint64_t hits[4];
};

static void
check_known(const char *name, const struct demands *sim, const struct known *t,
    size_t n)
{
	for (unsigned p = K3_SIM_LRU; p <= K3_SIM_BELADY; p++)
		for (size_t i = 0; i < n; i++) {
			struct k3_cache_counts c = { 0 };
			struct k3_err err;
			int r = demands_replay(sim, (enum k3_sim_policy)p,
			    &t[i].slots, 1, &c, &err);

			if (!ok(r == 0 && c.hits == t[i].hits[p],
				"%s, %u slots: %s hits %.2f %%", name,
				t[i].slots, policies[p],
				100 * (double)t[i].hits[p] / (double)sim->n))
				diag("%llu, not %llu",
				    (unsigned long long)c.hits,
				    (unsigned long long)t[i].hits[p]);
		}
}

/* Own against lru at slots 'step' apart, up to one for each key. */
static void
check_lru(const char *name, const struct demands *sim, uint32_t step)
{
	static uint32_t slots[1000];
	static struct k3_cache_counts lru[1000], own[1000];
	size_t n = 0, below = 0;
	struct k3_err err;

	while (n < sim->layers * sim->experts / step) {
		slots[n] = (uint32_t)n * step + 1;
		n++;
	}
	if (demands_replay(sim, K3_SIM_LRU, slots, n, lru, &err) != 0 ||
	    demands_replay(sim, K3_SIM_OWN, slots, n, own, &err) != 0)
		return (void)ok(false, "%s: %s", name, err.msg);
	for (size_t i = 0; i < n; i++)
		if (own[i].hits < lru[i].hits) {
			below++;
			diag("%u slots: %llu, lru %llu", slots[i],
			    (unsigned long long)own[i].hits,
			    (unsigned long long)lru[i].hits);
		}
	ok(below == 0, "%s: no fewer hits than lru at %zu sizes", name, n);
}

static void
check_demo(void)
{
	static const struct known t[] = {
		{ 1, { 0, 87, 84, 0 } },
		{ 8, { 0, 218, 214, 523 } },
		{ 20, { 0, 441, 418, 1020 } },
		{ 50, { 681, 977, 898, 1692 } },
		{ 100, { 1532, 1690, 1658, 2248 } },
		{ 150, { 2139, 2246, 2217, 2524 } },
		{ 200, { 2569, 2595, 2598, 2658 } },
	};
	struct demands sim;

	if (!demands_route("tests/vectors/routes/demo.route", &sim))
		return (void)ok(false, "tests/vectors/routes/demo.route");
	check_known("demo", &sim, t, sizeof(t) / sizeof(t[0]));
	check_lru("demo", &sim, 1);
	demands_free(&sim);
}

static void
check_decode(void)
{
	static const struct known t[] = {
		{ 1, { 0, 182, 255, 0 } },
		{ 8, { 0, 1503, 1851, 2078 } },
		{ 50, { 0, 7920, 9488, 13775 } },
		{ 100, { 0, 12823, 15263, 23324 } },
		{ 150, { 0, 16179, 19217, 28384 } },
		{ 208, { 14623, 19146, 22560, 32374 } },
		{ 300, { 20889, 22560, 26513, 36608 } },
		{ 416, { 26056, 25881, 30179, 40101 } },
		{ 832, { 35933, 34522, 38365, 47010 } },
		{ 1664, { 45533, 44782, 46520, 53009 } },
		{ 3328, { 54336, 54700, 54590, 56893 } },
		{ 6656, { 57317, 57317, 57317, 57317 } },
	};
	struct demands sim;

	if (!demands_route(REAL "kimi-linear-decode.route", &sim))
		return skip("decoding", "no " REAL "kimi-linear-decode.route");
	check_known("decoding", &sim, t, sizeof(t) / sizeof(t[0]));
	check_lru("decoding", &sim, 23);
	demands_free(&sim);
}

static void
check_recompute(void)
{
	static const struct known t[] = {
		{ 100, { 36178, 4606, 36180, 36907 } },
		{ 455, { 36272, 15305, 38179, 39457 } },
		{ 3647, { 36272, 46536, 58695, 61801 } },
		{ 7294, { 49238, 79634, 83981, 84675 } },
		{ 9000, { 73853, 89064, 89004, 89756 } },
	};
	struct demands sim;

	if (!demands_pairs(REAL "recompute-trace.bin", 93, 896, 16, &sim))
		return skip("recomputation", "no " REAL "recompute-trace.bin");
	check_known("recomputation", &sim, t, sizeof(t) / sizeof(t[0]));
	demands_free(&sim);
}

int
main(void)
{
	static const enum k3_sim_policy slow[] = { K3_SIM_LRU, K3_SIM_LFU,
		K3_SIM_BELADY };

	for (size_t i = 0; i < 3; i++) {
		check_slow(slow[i], 400, 11);
		check_slow(slow[i], LONG, 3);
	}
	check_own();
	check_bad();
	check_demo();
	check_decode();
	check_recompute();
	return tap_done();
}
