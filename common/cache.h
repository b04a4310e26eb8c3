/*
 * cache.h - which routed experts stay in memory
 *
 * The policy alone: no weights, no reads.  It is a pure function of the
 * demands in their logical order, so that a replay of recorded routes counts
 * exactly what an engine counts.  A miss need not enter the cache: it then
 * passes through a buffer of the caller's.  cache.c tells the rule.
 *
 * Where a visit demands no expert twice, a slot that answered one of its
 * demands is not given away before the next visit begins: all demands of a
 * visit can be asked first, and read and used after that in any order.
 */
#ifndef K3_COMMON_CACHE_H
#define K3_COMMON_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define K3_CACHE_NONE UINT32_MAX

struct k3_cache; /* opaque */

/* Bytes of memory for each key and slot, for plans. */
#define K3_CACHE_KEY  ((uint64_t)28)
#define K3_CACHE_SLOT ((uint64_t)24)

struct k3_cache_shape {
	uint32_t layers, experts; /* a key is layer * experts + expert */
	uint32_t topk;            /* experts that one token takes in a layer */
	uint32_t slots;           /* may be 0 */
};

enum k3_cache_kind {
	K3_CACHE_HIT,   /* it is in 'slot' */
	K3_CACHE_ADMIT, /* read it into 'slot', which held 'evicted' */
	K3_CACHE_BYPASS /* read it elsewhere: no slot is given */
};

struct k3_cache_answer {
	enum k3_cache_kind kind;
	uint32_t slot;    /* or K3_CACHE_NONE */
	uint32_t evicted; /* a key, or K3_CACHE_NONE: the slot was free */
};

struct k3_cache_counts {
	uint64_t demands, hits, misses;
	uint64_t evictions, bypassed; /* of the misses */
};

/* NULL if memory lacks, or keys do not fit in 32 bits. */
struct k3_cache *k3_cache_open(const struct k3_cache_shape *shape,
    struct k3_err *err);
void k3_cache_close(struct k3_cache *cache);

/* A pass comes to 'layer', of which it demands 'n' experts, one after the
 * other: one token's picks, or all that a chunk or batch goes to. */
void k3_cache_visit(struct k3_cache *cache, uint32_t layer, uint64_t n);

/* Expert 'expert' of the layer visited. */
struct k3_cache_answer k3_cache_demand(struct k3_cache *cache, uint32_t expert);

/* Is it in a slot?  Not a demand. */
bool k3_cache_holds(const struct k3_cache *cache, uint32_t layer,
    uint32_t expert);

const struct k3_cache_counts *k3_cache_counts(const struct k3_cache *cache);

#endif
