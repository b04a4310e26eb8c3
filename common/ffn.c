/*
 * ffn.c - the second half of a layer: a dense ffn, or a mixture of experts
 */
#include <string.h>

#include "common/ffn.h"
#include "common/linear.h"
#include "common/norm.h"
#include "common/router.h"

/* down(situ(gate x, up x)) with any three tensors, of 'width' rows. */
static int
situ_ffn(struct k3_pass *pass, const enum k3_tensor t[3], size_t width,
    const float *x, float *out, struct k3_err *err)
{
	const struct k3_cfg *cfg = pass->cfg;
	uint64_t mark = pass->scratch.used;
	size_t n = pass->rows;
	float *a = k3_scratch_floats(&pass->scratch, n * width);
	float *b = k3_scratch_floats(&pass->scratch, n * width);

	if (k3_linear(pass, t[0], x, a, n, err) != 0 ||
	    k3_linear(pass, t[1], x, b, n, err) != 0)
		return -1;
	pass->kern->situ(a, b, n * width, (float)cfg->beta,
	    (float)cfg->linear_beta);
	if (k3_linear(pass, t[2], a, out, n, err) != 0)
		return -1;
	pass->scratch.used = mark;
	return 0;
}

int
k3_dense(struct k3_pass *pass, const float *x, float *out, struct k3_err *err)
{
	static const enum k3_tensor t[3] = { K3_T_DENSE_GATE, K3_T_DENSE_UP,
		K3_T_DENSE_DOWN };

	return situ_ffn(pass, t, pass->cfg->dense, x, out, err);
}

/* The tokens of a pass that one expert works on, and their buffers. */
struct group {
	size_t n;
	uint32_t *row;    /* [n] */
	float *weight;    /* [n] */
	float *z, *a, *b; /* [n][latent], [n][moe], [n][moe] */
	float *out;       /* [n][latent] */
};

/* Collect the rows that picked expert e. */
static void
gather(const struct k3_pass *pass, unsigned e, const uint32_t *pick,
    const float *weight, const float *z, struct group *g)
{
	size_t topk = pass->cfg->topk, latent = pass->cfg->latent;

	g->n = 0;
	for (size_t t = 0; t < pass->rows; t++)
		for (size_t k = 0; k < topk; k++) {
			if (pick[t * topk + k] != e)
				continue;
			g->row[g->n] = (uint32_t)t;
			g->weight[g->n] = weight[t * topk + k];
			memcpy(g->z + g->n * latent, z + t * latent,
			    latent * sizeof(float));
			g->n++;
		}
}

/* r[row] += weight * w2 situ(w1 z, w3 z), for the rows of the group. */
static int
expert(struct k3_pass *pass, const struct k3_expert *ex, struct group *g,
    float *r, struct k3_err *err)
{
	const struct k3_cfg *cfg = pass->cfg;

	if (k3_linear_mx(pass, ex->w1, ex->number, K3_P_W1, g->z, g->a, g->n,
		err) != 0 ||
	    k3_linear_mx(pass, ex->w3, ex->number, K3_P_W3, g->z, g->b, g->n,
		err) != 0)
		return -1;
	pass->kern->situ(g->a, g->b, g->n * cfg->moe, (float)cfg->beta,
	    (float)cfg->linear_beta);
	if (k3_linear_mx(pass, ex->w2, ex->number, K3_P_W2, g->a, g->out, g->n,
		err) != 0)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		pass->kern->axpy(r + g->row[i] * (size_t)cfg->latent,
		    g->out + i * cfg->latent, cfg->latent, g->weight[i]);
	return 0;
}

/* The experts that any row picked, in rising number; their count. */
static size_t
distinct(const struct k3_pass *pass, const uint32_t *pick, uint32_t *list)
{
	size_t n = 0, npick = pass->rows * pass->cfg->topk;
	uint32_t nexpert = pass->cfg->experts;

	memset(list, 0, nexpert * sizeof(*list));
	for (size_t i = 0; i < npick; i++)
		list[pick[i]] = 1;
	for (uint32_t e = 0; e < nexpert; e++)
		if (list[e] != 0)
			list[n++] = e;
	return n;
}

/* r = the weighted sum of the picked experts' results. */
static int
routed(struct k3_pass *pass, const uint32_t *pick, const float *weight,
    const float *z, float *r, struct k3_err *err)
{
	const struct k3_cfg *cfg = pass->cfg;
	struct k3_scratch *s = &pass->scratch;
	uint64_t mark = s->used;
	size_t n = pass->rows;
	uint32_t *list = k3_scratch_words(s, cfg->experts);
	struct k3_expert ex;
	struct group g;
	int got;

	g.row = k3_scratch_words(s, n);
	g.weight = k3_scratch_floats(s, n);
	g.z = k3_scratch_floats(s, n * cfg->latent);
	g.a = k3_scratch_floats(s, n * cfg->moe);
	g.b = k3_scratch_floats(s, n * cfg->moe);
	g.out = k3_scratch_floats(s, n * cfg->latent);
	memset(r, 0, n * cfg->latent * sizeof(*r));
	if (k3_experts_want(pass->experts, pass->layer, list,
		distinct(pass, pick, list), err) != 0)
		return -1;
	while ((got = k3_experts_next(pass->experts, &ex, err)) == 1) {
		gather(pass, ex.number, pick, weight, z, &g);
		if (expert(pass, &ex, &g, r, err) != 0)
			return -1;
	}
	s->used = mark;
	return got;
}

int
k3_moe(struct k3_pass *pass, const float *x, float *out, struct k3_err *err)
{
	static const enum k3_tensor shared[3] = { K3_T_SHARED_GATE,
		K3_T_SHARED_UP, K3_T_SHARED_DOWN };
	const struct k3_cfg *cfg = pass->cfg;
	struct k3_scratch *s = &pass->scratch;
	uint64_t mark = s->used;
	size_t n = pass->rows;
	uint32_t *pick = k3_scratch_words(s, n * cfg->topk);
	float *weight = k3_scratch_floats(s, n * cfg->topk);
	float *z = k3_scratch_floats(s, n * cfg->latent);
	float *r = k3_scratch_floats(s, n * cfg->latent);
	float *up = k3_scratch_floats(s, n * cfg->hidden);
	const float *norm;

	if (k3_route(pass, x, pick, weight, err) != 0)
		return -1;
	if (pass->watch.routes != NULL &&
	    pass->watch.routes(pass->watch.arg, pass->layer, pass->span,
		pass->nspan, pick, weight, err) != 0)
		return -1;
	if (k3_linear(pass, K3_T_LATENT_DOWN, x, z, n, err) != 0 ||
	    situ_ffn(pass, shared, (size_t)cfg->shared * cfg->moe, x, out,
		err) != 0 ||
	    routed(pass, pick, weight, z, r, err) != 0 ||
	    (norm = k3_vector(pass, K3_T_LATENT_NORM, err)) == NULL)
		return -1;
	k3_rms_rows(pass->kern, r, r, norm, n, cfg->latent, (float)cfg->eps);
	if (k3_linear(pass, K3_T_LATENT_UP, r, up, n, err) != 0)
		return -1;
	for (size_t i = 0; i < n * cfg->hidden; i++)
		out[i] = up[i] + out[i];
	s->used = mark;
	return 0;
}
