/*
 * simcache.c - what a cache of any size and policy would have hit
 */
#include <stdlib.h>
#include <string.h>

#include "common/simcache.h"
#include "tests/demands.h"
#include "tests/tap.h"

#define REAL "../shared/data/real/"

static const char *const policies[] = { "lru", "lfu", "own", "belady" };

/* How good a key in the cache is, the lowest being the victim; at demand 'd'
 * of key 'k'. */
static uint64_t
worth(const struct k3_simcache *sim, const uint32_t *keys,
    enum k3_sim_policy policy, size_t d, uint32_t k)
{
	uint64_t count = 0, last = 0;
	size_t next = d + 1;

	for (size_t i = 0; i <= d; i++)
		if (keys[i] == k) {
			count++;
			last = i;
		}
	while (next < sim->n && keys[next] != k)
		next++;
	if (policy == K3_SIM_BELADY)
		return sim->n - next;
	return policy == K3_SIM_LRU ? last : count * sim->n + last;
}

/* As slow as can be: victims are looked for in the whole sequence. */
static uint64_t
slow_hits(const struct k3_simcache *sim, enum k3_sim_policy policy,
    uint32_t slots)
{
	uint32_t keys[400], held[100], used = 0;
	uint64_t hits = 0;

	for (size_t d = 0; d < sim->n; d++)
		keys[d] =
		    sim->demand[d].layer * sim->experts + sim->demand[d].expert;
	for (size_t d = 0; d < sim->n && slots > 0; d++) {
		uint32_t at = 0, victim = 0;

		while (at < used && held[at] != keys[d])
			at++;
		hits += at < used;
		if (at < used)
			continue;
		if (used < slots) {
			held[used++] = keys[d];
			continue;
		}
		for (uint32_t i = 1; i < used; i++)
			if (worth(sim, keys, policy, d, held[i]) <
			    worth(sim, keys, policy, d, held[victim]))
				victim = i;
		if (policy != K3_SIM_LFU ||
		    worth(sim, keys, policy, d, held[victim]) / sim->n <=
			worth(sim, keys, policy, d, keys[d]) / sim->n)
			held[victim] = keys[d];
	}
	return hits;
}

static void
check_slow(enum k3_sim_policy policy)
{
	static const uint32_t slots[] = { 0, 1, 2, 3, 5, 8, 13, 40, 60, 99 };
	struct k3_demand d[400];
	struct k3_simcache sim = { 3, 20, 4, d, 400 };
	struct k3_cache_counts c[10];
	struct k3_err err;
	uint64_t seed = 1;
	bool same;

	for (size_t i = 0; i < sim.n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		d[i].pass = (uint32_t)i / 12;
		d[i].layer = (uint32_t)i / 4 % 3;
		d[i].expert = (uint32_t)(seed >> 40) % 20;
		if ((seed >> 33 & 1) == 0)
			d[i].expert /= 4;
	}
	same = k3_simcache(&sim, policy, slots, 10, c, &err) == 0;
	for (size_t i = 0; i < 10 && same; i++)
		same = c[i].hits == slow_hits(&sim, policy, slots[i]) &&
		       c[i].demands == 400 && c[i].misses == 400 - c[i].hits;
	ok(same, "%s hits what a slow search says", policies[policy]);
}

static void
check_bad(void)
{
	struct k3_demand d[2] = { { 0, 0, 1 }, { 0, 1, 2 } };
	struct k3_simcache sim = { 2, 2, 1, d, 2 };
	struct k3_cache_counts c;
	uint32_t slots = 1;
	struct k3_err err;

	ok(k3_simcache(&sim, K3_SIM_OWN, &slots, 1, &c, &err) == -1 &&
		err.code == EX_DATAERR,
	    "an expert that there is not is refused");
	sim.n = 0;
	ok(k3_simcache(&sim, K3_SIM_BELADY, &slots, 1, &c, &err) == 0 &&
		c.demands == 0 && c.hits == 0,
	    "no demands are no hits");
}

/* Hits of lru, lfu, own and belady. */
struct known {
	uint32_t slots;
	uint64_t hits[4];
};

static void
check_known(const char *name, const struct k3_simcache *sim,
    const struct known *t, size_t n)
{
	for (unsigned p = K3_SIM_LRU; p <= K3_SIM_BELADY; p++)
		for (size_t i = 0; i < n; i++) {
			struct k3_cache_counts c = { 0 };
			struct k3_err err;
			int r = k3_simcache(sim, (enum k3_sim_policy)p,
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
check_lru(const char *name, const struct k3_simcache *sim, uint32_t step)
{
	static uint32_t slots[1000];
	static struct k3_cache_counts lru[1000], own[1000];
	size_t n = 0, below = 0;
	struct k3_err err;

	while (n < sim->layers * sim->experts / step) {
		slots[n] = (uint32_t)n * step + 1;
		n++;
	}
	if (k3_simcache(sim, K3_SIM_LRU, slots, n, lru, &err) != 0 ||
	    k3_simcache(sim, K3_SIM_OWN, slots, n, own, &err) != 0)
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
	struct k3_simcache sim;

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
	struct k3_simcache sim;

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
	struct k3_simcache sim;

	if (!demands_pairs(REAL "recompute-trace.bin", 93, 896, 16, &sim))
		return skip("recomputation", "no " REAL "recompute-trace.bin");
	check_known("recomputation", &sim, t, sizeof(t) / sizeof(t[0]));
	demands_free(&sim);
}

int
main(void)
{
	check_slow(K3_SIM_LRU);
	check_slow(K3_SIM_LFU);
	check_slow(K3_SIM_BELADY);
	check_bad();
	check_demo();
	check_decode();
	check_recompute();
	return tap_done();
}
