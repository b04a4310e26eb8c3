/*
 * sizes.h - what a model weighs, part by part, in bytes as stored
 */
#ifndef K3_COMMON_SIZES_H
#define K3_COMMON_SIZES_H

#include "common/cfg.h"
#include "common/st.h"

struct k3_sizes {
	uint64_t expert;  /* one routed expert */
	uint64_t experts; /* all of them */
	uint64_t trunk;   /* all dense tensors of the layers */
	uint64_t head;    /* embedding, lm_head and the norms around them */
	uint64_t kda;     /* KDA state of a sequence, float32 */
	uint64_t conv;    /* its convolutions' inputs */
	uint64_t latent;  /* its MLA cache, a position */
};

void k3_sizes(struct k3_sizes *z, const struct k3_cfg *cfg,
    const struct k3_st *st);

/* The dense tensors of one layer; cfg->nlayer is the head. */
uint64_t k3_layer_bytes(const struct k3_cfg *cfg, const struct k3_st *st,
    unsigned layer);

#endif
