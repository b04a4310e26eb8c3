/*
 * simcache.h - what a cache of any size and policy would have hit
 *
 * A replay of demands.  The own policy is the engine's module itself, so its
 * counts are what the engine counts.
 */
#ifndef K3_COMMON_SIMCACHE_H
#define K3_COMMON_SIMCACHE_H

#include <stddef.h>

#include "common/cache.h"

/* One demand; those of a pass and layer that adjoin are one visit. */
struct k3_demand {
	uint32_t pass, layer, expert;
};

struct k3_simcache {
	uint32_t layers, experts, topk;
	const struct k3_demand *demand;
	size_t n;
};

enum k3_sim_policy {
	K3_SIM_LRU,   /* the least recently demanded gives way */
	K3_SIM_LFU,   /* the least often; a miss demanded less is bypassed */
	K3_SIM_OWN,   /* cache.h */
	K3_SIM_BELADY /* the one demanded again last: the best without bypass */
};

/*
 * Replay under 'policy' at each of 'nsize' numbers of slots.  0, or -1: a
 * demand names a layer or expert that there is not, or memory lacks.
 */
int k3_simcache(const struct k3_simcache *sim, enum k3_sim_policy policy,
    const uint32_t *slots, size_t nsize, struct k3_cache_counts *counts,
    struct k3_err *err);

#endif
