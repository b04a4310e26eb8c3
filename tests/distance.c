/*
 * distance.c - reuse distances
 */
#include <stdlib.h>
#include <string.h>

#include "common/distance.h"
#include "tests/demands.h"
#include "tests/tap.h"

#define LAYERS  3
#define EXPERTS 700
#define DEMANDS 6000

/* Walk back to the last demand of the same: its distance, or -1. */
static int64_t
slow(const uint32_t *key, size_t at)
{
	static size_t seen[LAYERS * EXPERTS];
	int64_t n = 0;

	for (size_t i = at; i-- > 0;) {
		if (key[i] == key[at])
			return n;
		/* 'at' is above 0, and no mark is left of another walk. */
		n += seen[key[i]] != at;
		seen[key[i]] = at;
	}
	return -1;
}

/* Of more keys than the axis has room for at first, or of fewer. */
static void
check_slow(uint32_t keys)
{
	static uint32_t key[DEMANDS];
	struct k3_err err;
	struct k3_distance *d = k3_distance_new(LAYERS, EXPERTS, &err);
	uint64_t seed = keys;
	size_t bad = 0;

	for (size_t i = 0; i < DEMANDS; i++) {
		uint32_t got = UINT32_MAX;
		int64_t want;
		int r;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		key[i] = (uint32_t)(seed >> 40) % keys;
		if ((seed >> 33 & 1) == 0)
			key[i] /= 8;
		want = slow(key, i);
		r = k3_distance_demand(d, key[i] / EXPERTS, key[i] % EXPERTS,
		    &got, &err);
		if (r == (want != -1) && (r == 0 || got == want))
			continue;
		if (bad++ == 0)
			diag("demand %zu: %d %u, want %lld", i, r, got,
			    (long long)want);
	}
	ok(bad == 0, "%d demands of %u", DEMANDS, keys);
	k3_distance_free(d);
}

/* What the least recently used cache hits, at any size. */
static void
check_lru(const char *path, const uint32_t *slots, size_t nsize)
{
	struct k3_cache_counts counts[8];
	struct demands sim;
	struct k3_distance *d;
	struct k3_err err;
	uint64_t hits[8] = { 0 };
	bool same;

	if (!demands_route(path, &sim))
		return skip("hits of a cache", path);
	d = k3_distance_new(sim.layers, sim.experts, &err);
	for (size_t i = 0; i < sim.n; i++) {
		uint32_t got;

		if (k3_distance_demand(d, sim.demand[i].layer,
			sim.demand[i].expert, &got, &err) == 1)
			for (size_t s = 0; s < nsize; s++)
				hits[s] += got < slots[s];
	}
	same =
	    demands_replay(&sim, K3_SIM_LRU, slots, nsize, counts, &err) == 0;
	for (size_t s = 0; s < nsize && same; s++)
		same = hits[s] == counts[s].hits;
	ok(same, "what a cache hits: %s", path);
	k3_distance_free(d);
	demands_free(&sim);
}

int
main(void)
{
	static const uint32_t demo[] = { 1, 8, 20, 50, 100, 150, 200, 224 };
	static const uint32_t real[] = { 1, 100, 208, 300, 416, 832, 3328,
		6656 };

	check_slow(1);
	check_slow(2);
	check_slow(64);
	check_slow(500);
	check_slow(LAYERS * EXPERTS);
	check_lru("tests/vectors/routes/demo.route", demo, 8);
	check_lru("../shared/data/real/kimi-linear-decode.route", real, 8);
	return tap_done();
}
