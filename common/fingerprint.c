/*
 * fingerprint.c - what a model is, in 16 bytes
 *
 * k3-layer(5) says what is hashed.  The names of K3's half a million tensors
 * are never sorted: layers are, by their number as text, then the names in one
 * layer, in which all experts are one name; then the experts, by their number
 * as text, whose parts are in order already.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/le.h"
#include "common/pack.h"

#define PIECE ((size_t)1 << 20)

/* Experts of a layer, or all tensors of a layer, in a list of tensors. */
#define EXPERTS K3_NTENSOR
#define LAYER   (K3_NTENSOR + 1)

struct item {
	char name[K3_NAME_MAX];
	unsigned number; /* of a layer or expert */
	unsigned t;      /* enum k3_tensor, EXPERTS or LAYER */
};

struct job {
	const struct k3_cfg *cfg;
	struct k3_st *st;
	struct k3_digest *d;
	struct item *layer;  /* [nlayer + K3_NTENSOR] */
	struct item *expert; /* [experts] */
	uint8_t *buf;        /* [PIECE] */
};

static int
by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void
add32(struct k3_digest *d, uint32_t v)
{
	uint8_t p[4];

	k3_le_put32(p, v);
	k3_digest_add(d, p, sizeof(p));
}

static void
add_double(struct k3_digest *d, double v)
{
	uint64_t bits;
	uint8_t p[8];

	memcpy(&bits, &v, sizeof(bits));
	k3_le_put64(p, bits);
	k3_digest_add(d, p, sizeof(p));
}

static void
add_cfg(struct k3_digest *d, const struct k3_cfg *c)
{
	const uint32_t number[] = { c->hidden, c->nlayer, c->vocab, c->dense,
		c->heads, c->q_lora, c->kv_lora, c->nope, c->rope, c->v_dim,
		c->experts, c->topk, c->shared, c->moe, c->latent, c->ndense,
		c->res_block, c->max_pos, c->kda_heads, c->kda_dim, c->eos,
		c->bos, c->pad };
	const double real[] = { c->eps, c->beta, c->linear_beta, c->scaling,
		c->gate_lower };

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		add32(d, number[i]);
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		add_double(d, real[i]);
	for (unsigned i = 0; i < c->nlayer; i++) {
		uint8_t mla = c->mla[i];

		k3_digest_add(d, &mla, 1);
	}
}

/* Name, dtype and shape, in one piece: a call for each costs more than both. */
static void
add_tensor(struct k3_digest *d, const char *name, size_t len, uint8_t dtype,
    const struct k3_shape *shape)
{
	uint8_t p[K3_NAME_MAX + 8 + 8 * 3];
	size_t n = len + 1;

	memcpy(p, name, n);
	p[n++] = dtype;
	p[n++] = (uint8_t)shape->ndim;
	for (unsigned i = 0; i < shape->ndim; i++, n += 8)
		k3_le_put64(p + n, shape->dim[i]);
	k3_digest_add(d, p, n);
}

static int
add_bytes(const struct job *j, struct k3_loc loc, const char *name,
    struct k3_err *err)
{
	for (uint64_t off = 0, n; off < loc.len; off += n) {
		n = loc.len - off < PIECE ? loc.len - off : PIECE;
		if (k3_st_read(j->st, loc.file, loc.off + off, j->buf, n, name,
			err) != 0)
			return -1;
		k3_digest_add(j->d, j->buf, n);
	}
	return 0;
}

static int
add_dense(const struct job *j, unsigned layer, const struct item *item,
    struct k3_err *err)
{
	enum k3_tensor t = (enum k3_tensor)item->t;
	struct k3_loc loc = k3_st_tensor(j->st, layer, t);
	struct k3_shape shape;

	k3_tensor_shape(j->cfg, layer, t, &shape);
	add_tensor(j->d, item->name, strlen(item->name), loc.dtype, &shape);
	if (loc.dtype != K3_F32 && shape.ndim != 1)
		return 0;
	return add_bytes(j, loc, item->name, err);
}

static void
add_experts(const struct job *j, unsigned layer)
{
	char name[K3_NAME_MAX];
	struct k3_shape shape;

	for (unsigned e = 0; e < j->cfg->experts; e++)
		for (unsigned p = 0; p < K3_NPART; p++) {
			size_t len = k3_part_name(layer, j->expert[e].number,
			    (enum k3_part)p, name);

			k3_part_shape(j->cfg, (enum k3_part)p, &shape);
			add_tensor(j->d, name, len, K3_U8, &shape);
		}
}

static int
add_layer(const struct job *j, unsigned layer, struct k3_err *err)
{
	struct item list[K3_NTENSOR + 1];
	struct k3_shape shape;
	size_t n = 0;

	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (k3_tensor_shape(j->cfg, layer, (enum k3_tensor)t, &shape)) {
			list[n].t = t;
			k3_tensor_name(layer, (enum k3_tensor)t,
			    list[n++].name);
		}
	if (layer >= j->cfg->ndense) {
		list[n].t = EXPERTS;
		k3_part_name(layer, 0, K3_P_W1, list[n++].name);
	}
	qsort(list, n, sizeof(list[0]), by_name);
	for (size_t i = 0; i < n; i++)
		if (list[i].t == EXPERTS)
			add_experts(j, layer);
		else if (add_dense(j, layer, &list[i], err) != 0)
			return -1;
	return 0;
}

static int
add_model(const struct job *j, struct k3_err *err)
{
	unsigned nlayer = j->cfg->nlayer;
	struct k3_shape shape;
	size_t n = 0;

	for (unsigned e = 0; e < j->cfg->experts; e++) {
		j->expert[e].number = e;
		snprintf(j->expert[e].name, K3_NAME_MAX, "%u.", e);
	}
	qsort(j->expert, j->cfg->experts, sizeof(*j->expert), by_name);
	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (k3_tensor_shape(j->cfg, nlayer, (enum k3_tensor)t,
			&shape)) {
			j->layer[n].t = t;
			k3_tensor_name(0, (enum k3_tensor)t,
			    j->layer[n++].name);
		}
	for (unsigned i = 0; i < nlayer; i++, n++) {
		j->layer[n].t = LAYER;
		j->layer[n].number = i;
		k3_tensor_name(i, K3_T_ATTN_NORM, j->layer[n].name);
	}
	qsort(j->layer, n, sizeof(*j->layer), by_name);
	for (size_t i = 0; i < n; i++)
		if (j->layer[i].t == LAYER
			? add_layer(j, j->layer[i].number, err) != 0
			: add_dense(j, nlayer, &j->layer[i], err) != 0)
			return -1;
	return 0;
}

int
k3_fingerprint(const struct k3_cfg *cfg, struct k3_st *st,
    uint8_t out[K3_DIGEST128], struct k3_err *err)
{
	struct job j = { .cfg = cfg, .st = st };
	int bad = -1;

	j.layer = calloc(cfg->nlayer + (size_t)K3_NTENSOR, sizeof(*j.layer));
	j.expert = calloc(cfg->experts, sizeof(*j.expert));
	j.buf = malloc(PIECE);
	if (j.layer == NULL || j.expert == NULL || j.buf == NULL) {
		k3_fail(err, EX_OSERR, "cannot allocate a list of tensors");
		goto out;
	}
	j.d = k3_digest_open(K3_DIGEST_128, err);
	if (j.d == NULL)
		goto out;
	k3_digest_add(j.d, "k3-model", 8);
	add_cfg(j.d, cfg);
	bad = add_model(&j, err);
	if (bad == 0)
		k3_digest_get128(j.d, out);
out:
	k3_digest_close(j.d);
	free(j.buf);
	free(j.expert);
	free(j.layer);
	return bad;
}
