/*
 * cfg.h - config.json of a Kimi K3 checkpoint, validated
 *
 * Every field that the engine uses is read and none is defaulted; a file that
 * lacks one, or asks for something that the engine does not do, is refused
 * with all such fields in one message.  After k3_cfg_load() the rest of the
 * library relies on the sizes: they are positive (ndense may be 0, or nlayer),
 * heads side by side are no wider than K3_MAX_SIZE, and the whole model and one
 * sequence's state and latents come to fewer than 2^62 bytes.
 */
#ifndef K3_COMMON_CFG_H
#define K3_COMMON_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Taps of the short convolution, and weights that share an MXFP4 scale. */
#define K3_CONV_TAPS 4
#define K3_MX_GROUP  32

/* More layers, experts or a larger size than this are refused as absurd. */
#define K3_MAX_LAYERS  4096
#define K3_MAX_SIZE    (1u << 24)
#define K3_MAX_EXPERTS (1u << 16)

struct k3_cfg {
	uint32_t hidden;    /* E, hidden_size */
	uint32_t nlayer;    /* num_hidden_layers */
	uint32_t vocab;     /* vocab_size */
	uint32_t max_pos;   /* max_position_embeddings */
	uint32_t ndense;    /* first_k_dense_replace */
	uint32_t dense;     /* intermediate_size */
	uint32_t res_block; /* attn_res_block_size */
	uint32_t kda_heads; /* linear_attn_config.num_heads */
	uint32_t kda_dim;   /* linear_attn_config.head_dim, D */
	uint32_t kda_width; /* P = kda_heads * kda_dim */
	uint32_t heads;     /* H, num_attention_heads */
	uint32_t q_lora;    /* q_lora_rank */
	uint32_t kv_lora;   /* kv_lora_rank */
	uint32_t nope;      /* qk_nope_head_dim */
	uint32_t rope;      /* qk_rope_head_dim: the extra dims, not rotated */
	uint32_t v_dim;     /* v_head_dim */
	uint32_t experts;   /* num_experts */
	uint32_t topk;      /* num_experts_per_token */
	uint32_t shared;    /* num_shared_experts */
	uint32_t moe;       /* moe_intermediate_size */
	uint32_t latent;    /* routed_expert_hidden_size */
	uint32_t eos;       /* eos_token_id */
	uint32_t bos;       /* bos_token_id */
	uint32_t pad;       /* pad_token_id */
	double eps;         /* rms_norm_eps */
	double beta;        /* activation_situ_beta */
	double linear_beta; /* activation_situ_linear_beta */
	double scaling;     /* routed_scaling_factor */
	double gate_lower;  /* linear_attn_config.gate_lower_bound */
	bool mla[K3_MAX_LAYERS]; /* [nlayer], 0-based: MLA, else KDA */
};

/* Read DIR/config.json.  0, or -1 with 'err' filled in. */
int k3_cfg_load(struct k3_cfg *cfg, const char *dir, struct k3_err *err);

/* The same from memory; 'name' is for messages. */
int k3_cfg_parse(struct k3_cfg *cfg, const char *text, size_t len,
    const char *name, struct k3_err *err);

/* Bytes of one routed expert: three packed matrices and their scales. */
uint64_t k3_cfg_expert_bytes(const struct k3_cfg *cfg);

#endif
