/*
 * planimpl.h - what the parts of the plan share
 */
#ifndef K3_COMMON_PLANIMPL_H
#define K3_COMMON_PLANIMPL_H

#include "common/plan.h"

static inline uint64_t
k3_plan_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
k3_plan_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A matrix that is not small: bytes, or 0 if the layer has none such. */
uint64_t k3_plan_matrix(const struct k3_plan *plan, unsigned layer, unsigned t);

/* Vectors, which are always in memory; how many matrices there are. */
void k3_plan_measure_trunk(struct k3_plan *plan);

/*
 * Divide 'room' bytes between pins and ring; with less than the least, the
 * least.  Returns what they take.
 */
uint64_t k3_plan_divide_trunk(struct k3_plan *plan, uint64_t room);

/* What an expert takes in the cache, wherever its parts stand. */
uint64_t k3_plan_slot_bytes(const struct k3_cfg *cfg, const struct k3_st *st);

#endif
