/*
 * tensors.c - which tensors a model has: names, shapes, and the order of use
 */
#include <stdio.h>
#include <string.h>

#include "common/tensors.h"

/* Where a tensor occurs. */
enum where {
	ALL,
	KDA,
	MLA,
	BOTH, /* attention of either kind, with a width of its own */
	DENSE,
	MOE,
	HEAD,
};

/* Sizes by name, so that a shape is a row of the table. */
enum size {
	NONE,
	ONE,
	TAPS,
	E,
	P,
	D,
	KDA_HEADS,
	Q_LORA,
	Q_ROWS, /* H * (nope + rope) */
	KV_LORA,
	KV_ROWS,  /* kv_lora + rope */
	KVB_ROWS, /* H * (nope + v_dim) */
	ATTN,     /* P, or H * v_dim */
	FFN,
	EXPERTS,
	LATENT,
	SHARED,
	VOCAB,
};

struct row {
	const char *name;
	uint8_t where, dtype, dim[3];
};

/* clang-format off */
static const struct row table[K3_NTENSOR] = {
[K3_T_ATTN_RES_NORM] = { "self_attention_res_norm.weight", ALL, K3_BF16, { E } },
[K3_T_ATTN_RES_PROJ] = { "self_attention_res_proj.weight", ALL, K3_BF16, { ONE, E } },
[K3_T_ATTN_NORM]     = { "input_layernorm.weight", ALL, K3_BF16, { E } },
[K3_T_Q]             = { "self_attn.q_proj.weight", KDA, K3_BF16, { P, E } },
[K3_T_K]             = { "self_attn.k_proj.weight", KDA, K3_BF16, { P, E } },
[K3_T_V]             = { "self_attn.v_proj.weight", KDA, K3_BF16, { P, E } },
[K3_T_Q_CONV]        = { "self_attn.q_conv1d.weight", KDA, K3_F32, { P, ONE, TAPS } },
[K3_T_K_CONV]        = { "self_attn.k_conv1d.weight", KDA, K3_F32, { P, ONE, TAPS } },
[K3_T_V_CONV]        = { "self_attn.v_conv1d.weight", KDA, K3_F32, { P, ONE, TAPS } },
[K3_T_F_A]           = { "self_attn.f_a_proj.weight", KDA, K3_BF16, { D, E } },
[K3_T_F_B]           = { "self_attn.f_b_proj.weight", KDA, K3_BF16, { P, D } },
[K3_T_A_LOG]         = { "self_attn.A_log", KDA, K3_F32, { D } },
[K3_T_DT_BIAS]       = { "self_attn.dt_bias", KDA, K3_F32, { P } },
[K3_T_BETA]          = { "self_attn.b_proj.weight", KDA, K3_BF16, { KDA_HEADS, E } },
[K3_T_O_NORM]        = { "self_attn.o_norm.weight", KDA, K3_F32, { D } },
[K3_T_Q_A]           = { "self_attn.q_a_proj.weight", MLA, K3_BF16, { Q_LORA, E } },
[K3_T_Q_A_NORM]      = { "self_attn.q_a_layernorm.weight", MLA, K3_BF16, { Q_LORA } },
[K3_T_Q_B]           = { "self_attn.q_b_proj.weight", MLA, K3_BF16, { Q_ROWS, Q_LORA } },
[K3_T_KV_A]          = { "self_attn.kv_a_proj_with_mqa.weight", MLA, K3_BF16, { KV_ROWS, E } },
[K3_T_KV_A_NORM]     = { "self_attn.kv_a_layernorm.weight", MLA, K3_BF16, { KV_LORA } },
[K3_T_KV_B]          = { "self_attn.kv_b_proj.weight", MLA, K3_BF16, { KVB_ROWS, KV_LORA } },
[K3_T_G]             = { "self_attn.g_proj.weight", BOTH, K3_BF16, { ATTN, E } },
[K3_T_O]             = { "self_attn.o_proj.weight", BOTH, K3_BF16, { E, ATTN } },
[K3_T_FFN_RES_NORM]  = { "mlp_res_norm.weight", ALL, K3_BF16, { E } },
[K3_T_FFN_RES_PROJ]  = { "mlp_res_proj.weight", ALL, K3_BF16, { ONE, E } },
[K3_T_FFN_NORM]      = { "post_attention_layernorm.weight", ALL, K3_BF16, { E } },
[K3_T_DENSE_GATE]    = { "mlp.gate_proj.weight", DENSE, K3_BF16, { FFN, E } },
[K3_T_DENSE_UP]      = { "mlp.up_proj.weight", DENSE, K3_BF16, { FFN, E } },
[K3_T_DENSE_DOWN]    = { "mlp.down_proj.weight", DENSE, K3_BF16, { E, FFN } },
[K3_T_ROUTER]        = { "block_sparse_moe.gate.weight", MOE, K3_BF16, { EXPERTS, E } },
[K3_T_ROUTER_BIAS]   = { "block_sparse_moe.gate.e_score_correction_bias", MOE, K3_F32, { EXPERTS } },
[K3_T_LATENT_DOWN]   = { "block_sparse_moe.routed_expert_down_proj.weight", MOE, K3_BF16, { LATENT, E } },
[K3_T_SHARED_GATE]   = { "block_sparse_moe.shared_experts.gate_proj.weight", MOE, K3_BF16, { SHARED, E } },
[K3_T_SHARED_UP]     = { "block_sparse_moe.shared_experts.up_proj.weight", MOE, K3_BF16, { SHARED, E } },
[K3_T_SHARED_DOWN]   = { "block_sparse_moe.shared_experts.down_proj.weight", MOE, K3_BF16, { E, SHARED } },
[K3_T_LATENT_NORM]   = { "block_sparse_moe.routed_expert_norm.weight", MOE, K3_BF16, { LATENT } },
[K3_T_LATENT_UP]     = { "block_sparse_moe.routed_expert_up_proj.weight", MOE, K3_BF16, { E, LATENT } },
[K3_T_EMBED]         = { "model.embed_tokens.weight", HEAD, K3_BF16, { VOCAB, E } },
[K3_T_OUT_RES_NORM]  = { "model.output_attn_res_norm.weight", HEAD, K3_BF16, { E } },
[K3_T_OUT_RES_PROJ]  = { "model.output_attn_res_proj.weight", HEAD, K3_BF16, { ONE, E } },
[K3_T_OUT_NORM]      = { "model.norm.weight", HEAD, K3_BF16, { E } },
[K3_T_LM_HEAD]       = { "lm_head.weight", HEAD, K3_BF16, { VOCAB, E } },
};
/* clang-format on */

static const char root[] = "language_model.";
static const char layers[] = "language_model.model.layers.";
static const char experts[] = "block_sparse_moe.experts.";
static const char *const part_name[K3_NPART] = { "w1.weight_packed",
	"w1.weight_scale", "w2.weight_packed", "w2.weight_scale",
	"w3.weight_packed", "w3.weight_scale" };

static bool
has(const struct k3_cfg *cfg, unsigned layer, enum where where)
{
	if (where == HEAD || layer == cfg->nlayer)
		return where == HEAD && layer == cfg->nlayer;
	switch (where) {
	case KDA:
		return !cfg->mla[layer];
	case MLA:
		return cfg->mla[layer];
	case DENSE:
		return layer < cfg->ndense;
	case MOE:
		return layer >= cfg->ndense;
	default:
		return true;
	}
}

static uint64_t
size_of(const struct k3_cfg *cfg, unsigned layer, enum size size)
{
	uint64_t heads = cfg->heads;

	switch (size) {
	case NONE:
		return 0;
	case ONE:
		return 1;
	case TAPS:
		return K3_CONV_TAPS;
	case E:
		return cfg->hidden;
	case P:
		return cfg->kda_width;
	case D:
		return cfg->kda_dim;
	case KDA_HEADS:
		return cfg->kda_heads;
	case Q_LORA:
		return cfg->q_lora;
	case Q_ROWS:
		return heads * (cfg->nope + cfg->rope);
	case KV_LORA:
		return cfg->kv_lora;
	case KV_ROWS:
		return cfg->kv_lora + cfg->rope;
	case KVB_ROWS:
		return heads * (cfg->nope + cfg->v_dim);
	case ATTN:
		return cfg->mla[layer] ? heads * cfg->v_dim : cfg->kda_width;
	case FFN:
		return cfg->dense;
	case EXPERTS:
		return cfg->experts;
	case LATENT:
		return cfg->latent;
	case SHARED:
		return (uint64_t)cfg->shared * cfg->moe;
	case VOCAB:
		return cfg->vocab;
	}
	return 0;
}

size_t
k3_dtype_size(enum k3_dtype dtype)
{
	return dtype == K3_BF16 ? 2 : dtype == K3_U8 ? 1 : 4;
}

uint64_t
k3_shape_count(const struct k3_shape *shape)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < shape->ndim; i++)
		n *= shape->dim[i];
	return n;
}

bool
k3_tensor_shape(const struct k3_cfg *cfg, unsigned layer, enum k3_tensor t,
    struct k3_shape *shape)
{
	const struct row *row = &table[t];

	if (!has(cfg, layer, row->where))
		return false;
	shape->ndim = 0;
	for (int i = 0; i < 3 && row->dim[i] != NONE; i++)
		shape->dim[shape->ndim++] = size_of(cfg, layer, row->dim[i]);
	return true;
}

enum k3_dtype
k3_tensor_dtype(enum k3_tensor t)
{
	return table[t].dtype;
}

bool
k3_tensor_small(enum k3_tensor t)
{
	const uint8_t *dim = table[t].dim;

	return dim[0] == ONE || dim[1] == NONE || dim[2] != NONE;
}

void
k3_widen(float *y, const uint8_t *p, enum k3_dtype dtype, size_t n)
{
	if (dtype == K3_F32) {
		memmove(y, p, n * sizeof(*y));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t bits =
		    (uint32_t)p[2 * i] << 16 | (uint32_t)p[2 * i + 1] << 24;

		memcpy(&y[i], &bits, sizeof(bits));
	}
}

void
k3_part_shape(const struct k3_cfg *cfg, enum k3_part part,
    struct k3_shape *shape)
{
	bool down = part == K3_P_W2 || part == K3_P_W2_SCALE;
	bool scale = part % 2 != 0;
	uint32_t in = down ? cfg->moe : cfg->latent;

	shape->ndim = 2;
	shape->dim[0] = down ? cfg->latent : cfg->moe;
	shape->dim[1] = scale ? in / K3_MX_GROUP : in / 2;
}

size_t
k3_tensor_name(unsigned layer, enum k3_tensor t, char buf[K3_NAME_MAX])
{
	int n;

	if (table[t].where == HEAD)
		n = snprintf(buf, K3_NAME_MAX, "%s%s", root, table[t].name);
	else
		n = snprintf(buf, K3_NAME_MAX, "%s%u.%s", layers, layer,
		    table[t].name);
	return (size_t)n;
}

size_t
k3_part_name(unsigned layer, unsigned expert, enum k3_part part,
    char buf[K3_NAME_MAX])
{
	return (size_t)snprintf(buf, K3_NAME_MAX, "%s%u.%s%u.%s", layers, layer,
	    experts, expert, part_name[part]);
}

/* A decimal number and the dot after it: bytes taken, or 0. */
static size_t
number(const char *s, size_t len, unsigned *out)
{
	unsigned v = 0;
	size_t i = 0;

	while (i < len && i < 7 && s[i] >= '0' && s[i] <= '9')
		v = v * 10 + (unsigned)(s[i++] - '0');
	if (i == 0 || i == len || s[i] != '.' || (i > 1 && s[0] == '0'))
		return 0;
	*out = v;
	return i + 1;
}

/* Take a constant prefix off. */
static bool
prefix(const char **s, size_t *len, const char *want, size_t nwant)
{
	if (*len < nwant || memcmp(*s, want, nwant) != 0)
		return false;
	*s += nwant;
	*len -= nwant;
	return true;
}

static int
find(const char *s, size_t len, enum k3_tensor from, enum k3_tensor to,
    struct k3_named *out)
{
	for (unsigned t = from; t < to; t++)
		if (strlen(table[t].name) == len &&
		    memcmp(table[t].name, s, len) == 0) {
			out->t = (enum k3_tensor)t;
			return 1;
		}
	return 0;
}

int
k3_tensor_parse(const char *s, size_t len, struct k3_named *out)
{
	size_t n;

	memset(out, 0, sizeof(*out));
	if (!prefix(&s, &len, layers, sizeof(layers) - 1)) {
		if (!prefix(&s, &len, root, sizeof(root) - 1))
			return 0;
		return find(s, len, K3_T_EMBED, K3_NTENSOR, out);
	}
	if ((n = number(s, len, &out->layer)) == 0)
		return 0;
	s += n;
	len -= n;
	if (!prefix(&s, &len, experts, sizeof(experts) - 1))
		return find(s, len, 0, K3_NLAYER_TENSOR, out);
	if ((n = number(s, len, &out->expert)) == 0)
		return 0;
	s += n;
	len -= n;
	for (unsigned p = 0; p < K3_NPART; p++)
		if (strlen(part_name[p]) == len &&
		    memcmp(part_name[p], s, len) == 0) {
			out->part = (enum k3_part)p;
			return 2;
		}
	return 0;
}

uint64_t
k3_layout(const struct k3_cfg *cfg, unsigned layer,
    const uint8_t dtype[K3_NTENSOR], uint64_t off[K3_NTENSOR])
{
	struct k3_shape shape;
	uint64_t end = 0;

	for (unsigned t = 0; t < K3_NTENSOR; t++) {
		off[t] = UINT64_MAX;
		if (!k3_tensor_shape(cfg, layer, (enum k3_tensor)t, &shape))
			continue;
		off[t] = (end + K3_ALIGN - 1) / K3_ALIGN * K3_ALIGN;
		end = off[t] + k3_shape_count(&shape) * k3_dtype_size(dtype[t]);
	}
	return (end + K3_PAGE - 1) / K3_PAGE * K3_PAGE;
}
