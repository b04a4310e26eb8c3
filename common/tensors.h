/*
 * tensors.h - which tensors a model has: names, shapes, and the order of use
 *
 * This is the one place where tensors are named.  A layer's dense tensors
 * (its part of the trunk) are numbered in the order in which the forward pass
 * uses them, which is also their order in memory and in a packed layer file.
 * The model-level tensors form one more "layer", number cfg->nlayer, called
 * the head.  The routed experts are not trunk; they are addressed by layer,
 * number and part.  Source: the released checkpoint's headers.
 */
#ifndef K3_COMMON_TENSORS_H
#define K3_COMMON_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cfg.h"

enum k3_dtype {
	K3_F32,
	K3_BF16,
	K3_U8,
	K3_U32, /* in layer files only: token IDs and counters */
	K3_NDTYPE
};

/* P: KDA width, E: hidden, D: KDA head_dim, H: MLA heads, L: kv_lora. */
enum k3_tensor {
	/* the attention half */
	K3_T_ATTN_RES_NORM, /* [E] */
	K3_T_ATTN_RES_PROJ, /* [1][E] */
	K3_T_ATTN_NORM,     /* [E] input_layernorm */
	K3_T_Q,             /* [P][E] */
	K3_T_K,             /* [P][E] */
	K3_T_V,             /* [P][E] */
	K3_T_Q_CONV,        /* [P][1][4] */
	K3_T_K_CONV,        /* [P][1][4] */
	K3_T_V_CONV,        /* [P][1][4] */
	K3_T_F_A,           /* [D][E] */
	K3_T_F_B,           /* [P][D] */
	K3_T_A_LOG,         /* [D]: one per head, then padding */
	K3_T_DT_BIAS,       /* [P] */
	K3_T_BETA,          /* [heads][E] b_proj */
	K3_T_O_NORM,        /* [D] */
	K3_T_Q_A,           /* [q_lora][E] */
	K3_T_Q_A_NORM,      /* [q_lora] */
	K3_T_Q_B,           /* [H * (nope + rope)][q_lora] */
	K3_T_KV_A,          /* [L + rope][E] */
	K3_T_KV_A_NORM,     /* [L] */
	K3_T_KV_B,          /* [H * (nope + v_dim)][L] */
	K3_T_G,             /* [P][E], in MLA [H * v_dim][E] */
	K3_T_O,             /* [E][P], in MLA [E][H * v_dim] */
	/* the ffn half */
	K3_T_FFN_RES_NORM, /* [E] */
	K3_T_FFN_RES_PROJ, /* [1][E] */
	K3_T_FFN_NORM,     /* [E] post_attention_layernorm */
	K3_T_DENSE_GATE,   /* [dense][E] */
	K3_T_DENSE_UP,     /* [dense][E] */
	K3_T_DENSE_DOWN,   /* [E][dense] */
	K3_T_ROUTER,       /* [experts][E] */
	K3_T_ROUTER_BIAS,  /* [experts] */
	K3_T_LATENT_DOWN,  /* [latent][E] */
	K3_T_SHARED_GATE,  /* [shared * moe][E] */
	K3_T_SHARED_UP,    /* [shared * moe][E] */
	K3_T_SHARED_DOWN,  /* [E][shared * moe] */
	K3_T_LATENT_NORM,  /* [latent] routed_expert_norm */
	K3_T_LATENT_UP,    /* [E][latent] */
	K3_NLAYER_TENSOR,
	/* the head */
	K3_T_EMBED = K3_NLAYER_TENSOR, /* [vocab][E] */
	K3_T_OUT_RES_NORM,             /* [E] */
	K3_T_OUT_RES_PROJ,             /* [1][E] */
	K3_T_OUT_NORM,                 /* [E] */
	K3_T_LM_HEAD,                  /* [vocab][E] */
	K3_NTENSOR
};

/* The parts of one routed expert, in their order in the checkpoint. */
enum k3_part {
	K3_P_W1,       /* [moe][latent / 2], gate */
	K3_P_W1_SCALE, /* [moe][latent / 32] */
	K3_P_W2,       /* [latent][moe / 2], down */
	K3_P_W2_SCALE, /* [latent][moe / 32] */
	K3_P_W3,       /* [moe][latent / 2], up */
	K3_P_W3_SCALE, /* [moe][latent / 32] */
	K3_NPART
};

struct k3_shape {
	unsigned ndim;
	uint64_t dim[3];
};

/* Bytes of one element; elements of a shape. */
size_t k3_dtype_size(enum k3_dtype dtype);
uint64_t k3_shape_count(const struct k3_shape *shape);

/*
 * Does 'layer' (0-based; cfg->nlayer is the head) have tensor 't'?  Fills in
 * the shape if it does.
 */
bool k3_tensor_shape(const struct k3_cfg *cfg, unsigned layer, enum k3_tensor t,
    struct k3_shape *shape);

/* The dtype that the released checkpoint has; a file may have the other one. */
enum k3_dtype k3_tensor_dtype(enum k3_tensor t);

/*
 * Is it a vector, or a convolution's taps?  All of them together are less than
 * a thousandth of the trunk: they stay in memory whatever the budget.
 */
bool k3_tensor_small(enum k3_tensor t);

/*
 * Stored values of dtype F32 or BF16 at 'p', any alignment, as float32, which
 * is exact.  'p' may be the end of y itself: values are widened in rising
 * order and none is overwritten before it was read.
 */
void k3_widen(float *y, const uint8_t *p, enum k3_dtype dtype, size_t n);

/* Shape of a part of any routed expert. */
void k3_part_shape(const struct k3_cfg *cfg, enum k3_part part,
    struct k3_shape *shape);

/* The name in the checkpoint, into 'buf'; both return its length. */
#define K3_NAME_MAX 128
size_t k3_tensor_name(unsigned layer, enum k3_tensor t, char buf[K3_NAME_MAX]);
size_t k3_part_name(unsigned layer, unsigned expert, enum k3_part part,
    char buf[K3_NAME_MAX]);

/*
 * The reverse, for indexing.  'layer' is not checked against a model's number
 * of layers, nor 'expert' against its experts; numbers with leading zeros are
 * not names.  Returns 0 for a name that no text model has, 1 for a trunk or
 * head tensor (*t, *layer; layer is 0 for the head), 2 for an expert's part
 * (*layer, *expert, *part).
 */
struct k3_named {
	unsigned layer, expert;
	enum k3_tensor t;
	enum k3_part part;
};
int k3_tensor_parse(const char *name, size_t len, struct k3_named *out);

/*
 * Where the tensors of 'layer' stand in memory and in a layer file: in order
 * of use, each from a multiple of K3_ALIGN.  off[t] is UINT64_MAX for those
 * that it lacks.  'dtype' is what is stored, [K3_NTENSOR].  Returns the end,
 * rounded up to a multiple of K3_PAGE.
 */
#define K3_ALIGN 64
#define K3_PAGE  4096
uint64_t k3_layout(const struct k3_cfg *cfg, unsigned layer,
    const uint8_t dtype[K3_NTENSOR], uint64_t off[K3_NTENSOR]);

#endif
