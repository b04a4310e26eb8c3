/*
 * state.h - what a sequence remembers
 *
 * KDA layers keep a matrix per head and the last three inputs of their
 * convolutions; MLA layers keep a latent and the extra key dims of each
 * position, joined, and never expanded K and V.
 */
#ifndef K3_COMMON_STATE_H
#define K3_COMMON_STATE_H

#include <stdint.h>

#include "common/cfg.h"
#include "common/err.h"

struct k3_state {
	const struct k3_cfg *cfg;
	uint32_t pos;     /* tokens consumed */
	uint32_t context; /* positions that there is room for */
	float *kda;       /* all KDA layers: matrices, then conv inputs */
	float *latents;   /* [MLA layer][context][kv_lora + rope] */
};

/* Bytes of the part that does not grow, and of the latents of 'context'. */
uint64_t k3_state_bytes(const struct k3_cfg *cfg);
uint64_t k3_state_latent_bytes(const struct k3_cfg *cfg, uint32_t context);

/* Allocate an empty state.  'cfg' must outlive it. */
int k3_state_init(struct k3_state *state, const struct k3_cfg *cfg,
    uint32_t context, struct k3_err *err);
void k3_state_fini(struct k3_state *state);

/* Touch all of its memory, so that it counts from now on. */
int k3_state_touch(struct k3_state *state, struct k3_err *err);

/* Forget everything: the start of another sequence. */
void k3_state_reset(struct k3_state *state);

/* A KDA layer's matrices: [head][key][value]. */
float *k3_state_kda(struct k3_state *state, unsigned layer);

/*
 * A KDA layer's last three projected inputs: [q, k, v][3][width], the oldest
 * first.
 */
float *k3_state_conv(struct k3_state *state, unsigned layer);

/* An MLA layer's joined latents: [context][kv_lora + rope]. */
float *k3_state_latents(struct k3_state *state, unsigned layer);

#endif
