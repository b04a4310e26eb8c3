/*
 * cfgcheck.c - what must hold between the fields of a config
 */
#include <inttypes.h>

#include "common/cfgcheck.h"
#include "common/tensors.h"

/* The width of several heads side by side must be a size as well. */
static void
check_width(struct k3_notes *notes, const char *what, uint64_t a, uint64_t b)
{
	if (a * b > K3_MAX_SIZE)
		k3_notes_add(notes, K3_REFUSED,
		    "%s %" PRIu64 " (want at most %u)", what, a * b,
		    K3_MAX_SIZE);
}

static void
check_group(struct k3_notes *notes, const char *key, uint32_t width)
{
	if (width % K3_MX_GROUP != 0)
		k3_notes_add(notes, K3_REFUSED, "%s %u (want a multiple of %u)",
		    key, width, K3_MX_GROUP);
}

static void
check_token(struct k3_notes *notes, const struct k3_cfg *cfg, const char *key,
    uint32_t id)
{
	if (cfg->vocab > 0 && id >= cfg->vocab)
		k3_notes_add(notes, K3_REFUSED,
		    "%s %u (want below vocab_size %u)", key, id, cfg->vocab);
}

/*
 * The whole model at 4 bytes a weight, and the state and latents of one
 * sequence at full length, must stay clear of 63 bits: then no product of
 * sizes elsewhere can wrap.  In double, as the sum itself could.
 */
static void
check_total(struct k3_notes *notes, const struct k3_cfg *cfg)
{
	struct k3_shape shape;
	double total = 0, nmoe = cfg->nlayer - cfg->ndense;

	for (unsigned layer = 0; layer <= cfg->nlayer; layer++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (k3_tensor_shape(cfg, layer, (enum k3_tensor)t,
				&shape))
				total += 4.0 * (double)k3_shape_count(&shape);
	total += nmoe * cfg->experts * (double)k3_cfg_expert_bytes(cfg);
	total += 4.0 * cfg->nlayer * cfg->max_pos *
		 (double)(cfg->kv_lora + cfg->rope);
	total += 4.0 * cfg->nlayer * cfg->kda_width *
		 (cfg->kda_dim + 3.0 * K3_CONV_TAPS);
	if (total > 0x1p62)
		k3_notes_add(notes, K3_REFUSED,
		    "sizes that come to %.3g bytes in all", total);
}

void
k3_cfgcheck(struct k3_cfg *cfg, struct k3_notes *notes)
{
	if (cfg->nlayer > 0 && cfg->ndense > cfg->nlayer)
		k3_notes_add(notes, K3_REFUSED,
		    "first_k_dense_replace %u (want at most "
		    "num_hidden_layers %u)",
		    cfg->ndense, cfg->nlayer);
	if (cfg->experts > 0 && cfg->topk > cfg->experts)
		k3_notes_add(notes, K3_REFUSED,
		    "num_experts_per_token %u (want at most num_experts %u)",
		    cfg->topk, cfg->experts);
	/* A_log has head_dim places and needs one a head. */
	if (cfg->kda_dim > 0 && cfg->kda_heads > cfg->kda_dim)
		k3_notes_add(notes, K3_REFUSED,
		    "linear_attn_config.num_heads %u (want at most head_dim %u)",
		    cfg->kda_heads, cfg->kda_dim);
	check_group(notes, "moe_intermediate_size", cfg->moe);
	check_group(notes, "routed_expert_hidden_size", cfg->latent);
	check_token(notes, cfg, "eos_token_id", cfg->eos);
	check_token(notes, cfg, "bos_token_id", cfg->bos);
	check_token(notes, cfg, "pad_token_id", cfg->pad);
	check_width(notes, "linear_attn_config.num_heads x head_dim",
	    cfg->kda_heads, cfg->kda_dim);
	check_width(notes,
	    "num_attention_heads x (qk_nope_head_dim + qk_rope_head_dim)",
	    cfg->heads, (uint64_t)cfg->nope + cfg->rope);
	check_width(notes,
	    "num_attention_heads x (qk_nope_head_dim + v_head_dim)", cfg->heads,
	    (uint64_t)cfg->nope + cfg->v_dim);
	check_width(notes, "kv_lora_rank + qk_rope_head_dim", 1,
	    (uint64_t)cfg->kv_lora + cfg->rope);
	check_width(notes, "num_shared_experts x moe_intermediate_size",
	    cfg->shared, cfg->moe);
	cfg->kda_width = (uint32_t)((uint64_t)cfg->kda_heads * cfg->kda_dim);
	if (k3_notes_count(notes) == 0)
		check_total(notes, cfg);
}
