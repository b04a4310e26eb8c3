/*
 * scratch.h - memory for the activations of one pass
 *
 * One buffer, sized by the plan.  Sub-layers take pieces of it from the front
 * and give all of them back at once; nothing is allocated per token.  The
 * sizes stand here and not in the sub-layers because the plan, which is made
 * before any of them runs, needs them.
 */
#ifndef K3_COMMON_SCRATCH_H
#define K3_COMMON_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "common/cfg.h"

struct k3_scratch {
	char *base;
	uint64_t size, used;
};

/*
 * 'n' floats, or uint32_t, from a multiple of 64 bytes; not zeroed.  Asking
 * for more than the plan counted is a bug and stops the program.
 */
float *k3_scratch_floats(struct k3_scratch *s, size_t n);
uint32_t *k3_scratch_words(struct k3_scratch *s, size_t n);

/* What the largest sub-layer takes for 'n' tokens on 'threads' threads. */
uint64_t k3_scratch_bytes(const struct k3_cfg *cfg, uint64_t n,
    unsigned threads);

/* Snapshots on the stack after the last layer, and after 'half' half-layers. */
uint32_t k3_snapshots(const struct k3_cfg *cfg);
uint32_t k3_snapshots_after(const struct k3_cfg *cfg, unsigned half);

/* What a pass keeps across sub-layers for 'n' tokens: prefix and snapshots. */
uint64_t k3_pass_bytes(const struct k3_cfg *cfg, uint64_t n);

#endif
