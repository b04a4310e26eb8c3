/*
 * simimpl.h - the policies of a replay, as simcache.c runs them
 *
 * A policy goes through a block of demands at one size; what it must know of
 * the other demands was noted beside them before, once for all sizes.
 */
#ifndef K3_COMMON_SIMIMPL_H
#define K3_COMMON_SIMIMPL_H

#include "common/simcache.h"

#define K3_SIM_NONE UINT32_MAX

/* A slot, in the list of its group: one for lru, one a count for lfu. */
struct k3_sim_slot {
	uint32_t key, older, newer;
	uint32_t group;
};

/* Slots whose keys were demanded equally often; groups stand by count. */
struct k3_sim_group {
	uint64_t count;
	uint32_t oldest, newest;
	uint32_t fewer, more; /* groups; more: of the free ones too */
};

struct k3_sim_size {
	struct k3_cache_counts counts;
	uint32_t slots, used;
	uint32_t *where;            /* [key]: its slot, or NONE */
	uint32_t *held;             /* [slot]: its key; belady */
	uint64_t *tree;             /* [2 * slots]; belady */
	struct k3_sim_slot *slot;   /* [slot]; lru, lfu */
	struct k3_sim_group *group; /* [slots + 1], or one */
	uint32_t least, spare;      /* groups */
	struct k3_cache *own;
};

/* Memory for a size whose 'slots' is set.  0, or -1: there is none. */
int k3_sim_open(struct k3_sim_size *z, enum k3_sim_policy policy,
    uint64_t keys);
void k3_sim_close(struct k3_sim_size *z);

/* 'note' is not looked at. */
void k3_sim_lru(struct k3_sim_size *z, const uint32_t *key,
    const uint64_t *note, size_t n);

/* 'note': how often the key has been demanded, this demand included. */
void k3_sim_lfu(struct k3_sim_size *z, const uint32_t *key,
    const uint64_t *note, size_t n);

/* 'note': the demand, from 0, that asks for the same key next. */
void k3_sim_belady(struct k3_sim_size *z, const uint32_t *key,
    const uint64_t *note, size_t n);

#endif
