/*
 * simcache.h - what caches of any size and policy would have hit
 *
 * A replay of demands as they come: memory grows with the shape and the number
 * of sizes, not with how many demands there are.  The own policy is the
 * engine's module itself, so its counts are what the engine counts.
 */
#ifndef K3_COMMON_SIMCACHE_H
#define K3_COMMON_SIMCACHE_H

#include <stddef.h>

#include "common/cache.h"

/* Layers times experts, at most: a dozen times Kimi K3's. */
#define K3_SIM_KEYS (UINT32_C(1) << 20)

enum k3_sim_policy {
	K3_SIM_LRU,   /* the least recently demanded gives way */
	K3_SIM_LFU,   /* the least often; a miss demanded less is bypassed */
	K3_SIM_OWN,   /* cache.h */
	K3_SIM_BELADY /* the one demanded again last: the best without bypass */
};

struct k3_simcache_ask {
	uint32_t layers, experts, topk;
	enum k3_sim_policy policy;
	const uint32_t *slots; /* [nsize], in any order */
	size_t nsize;
	const char *dir; /* where belady may have temporary files */
};

struct k3_simcache; /* opaque */

/*
 * NULL if there are more keys than K3_SIM_KEYS, with EX_DATAERR, or memory
 * lacks.  What 'ask' points to, but for 'dir', may go away.
 */
struct k3_simcache *k3_simcache_open(const struct k3_simcache_ask *ask,
    struct k3_err *err);
void k3_simcache_close(struct k3_simcache *sim);

/*
 * A pass comes to 'layer' and demands 'n' experts, in this order; the engine
 * demands each once, rising.  0, or -1: there is no such layer or expert
 * (EX_DATAERR), or belady's demands, 12 bytes each on the disk beyond the first
 * 131072, could not be kept.
 */
int k3_simcache_visit(struct k3_simcache *sim, uint32_t layer,
    const uint32_t *expert, size_t n, struct k3_err *err);

/*
 * That was all: what was counted at each size.  0, or -1 as above.  Once.
 */
int k3_simcache_finish(struct k3_simcache *sim, struct k3_cache_counts *counts,
    struct k3_err *err);

#endif
