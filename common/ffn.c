/*
 * ffn.c - the second half of a layer: a dense ffn, or a mixture of experts
 */
#include <string.h>

#include "common/ffn.h"
#include "common/linear.h"
#include "common/norm.h"
#include "common/router.h"

/* gate = situ(gate, up), for rows of the products of both. */
static void
activate(const struct k3_product *p, size_t begin, size_t end)
{
	const struct k3_pass *pass = p->arg;

	for (size_t t = 0; t < p->m.tokens; t++)
		pass->kern->situ(p->m.y + t * p->m.ldy + begin,
		    p->with->m.y + t * p->m.ldy + begin, end - begin,
		    (float)pass->cfg->beta, (float)pass->cfg->linear_beta);
}

/* A gate, which its up goes with. */
static void
join(const struct k3_pass *pass, struct k3_product *gate,
    const struct k3_product *up)
{
	gate->with = up;
	gate->then = activate;
	gate->arg = pass;
}

/*
 * down(situ(gate x, up x)) with any three tensors, of 'width' rows; 'other' is
 * a product to run beside the first two, or NULL.
 */
static int
situ_ffn(struct k3_pass *pass, const enum k3_tensor t[3], size_t width,
    const float *x, float *out, const struct k3_product *other,
    struct k3_err *err)
{
	uint64_t mark = pass->scratch.used;
	size_t n = pass->rows;
	float *a = k3_scratch_floats(&pass->scratch, n * width);
	float *b = k3_scratch_floats(&pass->scratch, n * width);
	struct k3_product p[2], up;

	if (k3_product(pass, t[0], x, a, n, &p[0], err) != 0 ||
	    k3_product(pass, t[1], x, b, n, &up, err) != 0)
		return -1;
	join(pass, &p[0], &up);
	if (other != NULL)
		p[1] = *other;
	if (k3_products(pass, p, other != NULL ? 2 : 1, err) != 0)
		return -1;
	k3_trunk_done(pass->trunk);
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

	return situ_ffn(pass, t, pass->cfg->dense, x, out, NULL, err);
}

/* The picks of a pass by expert, and the buffers that an expert works in. */
struct group {
	struct k3_pass *pass;
	const float *z;   /* [rows][latent] */
	float *r;         /* [rows][latent], the sum */
	uint32_t *end;    /* [experts]: where the picks of each end */
	uint32_t *row;    /* [rows * topk], by expert, then rising */
	float *weight;    /* [rows * topk] */
	size_t first, n;  /* the picks of the expert in work */
	float *x, *a, *b; /* [n][latent], [n][moe], [n][moe] */
	float *out;       /* [n][latent] */
};

/*
 * Sort the picks by counting, and put the experts that any row picked, in
 * rising number, into 'list'; how many they are.
 */
static size_t
sort(struct group *g, const uint32_t *pick, const float *weight, uint32_t *list)
{
	size_t topk = g->pass->cfg->topk, npick = g->pass->rows * topk, n = 0;
	uint32_t experts = g->pass->cfg->experts, at = 0;

	memset(g->end, 0, experts * sizeof(*g->end));
	for (size_t i = 0; i < npick; i++)
		g->end[pick[i]]++;
	for (uint32_t e = 0; e < experts; e++) {
		uint32_t count = g->end[e];

		if (count > 0)
			list[n++] = e;
		g->end[e] = at;
		at += count;
	}
	/* Each start moves on to the end. */
	for (size_t i = 0; i < npick; i++) {
		uint32_t to = g->end[pick[i]]++;

		g->row[to] = (uint32_t)(i / topk);
		g->weight[to] = weight[i];
	}
	return n;
}

static void
gather(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct group *g = arg;
	size_t latent = g->pass->cfg->latent;

	(void)thread;
	for (size_t i = begin; i < end; i++)
		memcpy(g->x + i * latent, g->z + g->row[g->first + i] * latent,
		    latent * sizeof(float));
}

/* r += weight * out, for rows of w2's product. */
static void
add(const struct k3_product *p, size_t begin, size_t end)
{
	const struct group *g = p->arg;
	size_t latent = g->pass->cfg->latent;

	for (size_t i = 0; i < g->n; i++)
		g->pass->kern->axpy(g->r + g->row[g->first + i] * latent +
					begin,
		    g->out + i * latent + begin, end - begin,
		    g->weight[g->first + i]);
}

/* r[row] += weight * w2 situ(w1 z, w3 z), for the rows that picked it. */
static int
expert(struct group *g, const struct k3_expert *ex, struct k3_err *err)
{
	const struct k3_pass *pass = g->pass;
	size_t latent = pass->cfg->latent;
	struct k3_product gate, up, down;
	const float *x = g->x;

	g->first = ex->number > 0 ? g->end[ex->number - 1] : 0;
	g->n = g->end[ex->number] - g->first;
	if (g->n == 1)
		x = g->z + g->row[g->first] * latent;
	else
		k3_par_run(&pass->par, g->n, k3_par_grain(latent), gather, g);
	k3_product_mx(pass, ex->w1, ex->number, K3_P_W1, x, g->a, g->n, &gate);
	k3_product_mx(pass, ex->w3, ex->number, K3_P_W3, x, g->b, g->n, &up);
	k3_product_mx(pass, ex->w2, ex->number, K3_P_W2, g->a, g->out, g->n,
	    &down);
	join(pass, &gate, &up);
	down.then = add;
	down.arg = g;
	if (k3_products(pass, &gate, 1, err) != 0)
		return -1;
	return k3_products(pass, &down, 1, err);
}

/* Sort the picks by expert, and let these be read. */
static int
ask(struct group *g, const uint32_t *pick, const float *weight,
    struct k3_err *err)
{
	struct k3_pass *pass = g->pass;
	const struct k3_cfg *cfg = pass->cfg;
	struct k3_scratch *s = &pass->scratch;
	size_t n = pass->rows;
	uint32_t *list = k3_scratch_words(s, cfg->experts);

	g->end = k3_scratch_words(s, cfg->experts);
	g->row = k3_scratch_words(s, n * cfg->topk);
	g->weight = k3_scratch_floats(s, n * cfg->topk);
	return k3_experts_want(pass->experts, pass->layer, list,
	    sort(g, pick, weight, list), err);
}

/*
 * One token's layer is short: meanwhile what the next one may want is read.  A
 * chunk wants most experts anyway.
 */
static void
guess(struct k3_pass *pass, const float *x)
{
	uint64_t mark = pass->scratch.used;
	uint32_t *list = k3_scratch_words(&pass->scratch, pass->cfg->experts);

	if (pass->rows == 1 && pass->lookahead > 0)
		k3_experts_guess(pass->experts, pass->layer + 1, list,
		    k3_route_ahead(pass, x, list, pass->lookahead));
	pass->scratch.used = mark;
}

/* r = the weighted sum of the experts' results. */
static int
routed(struct group *g, struct k3_err *err)
{
	struct k3_pass *pass = g->pass;
	const struct k3_cfg *cfg = pass->cfg;
	struct k3_scratch *s = &pass->scratch;
	size_t n = pass->rows;
	struct k3_expert ex;
	int got;

	g->x = k3_scratch_floats(s, n * cfg->latent);
	g->a = k3_scratch_floats(s, n * cfg->moe);
	g->b = k3_scratch_floats(s, n * cfg->moe);
	g->out = k3_scratch_floats(s, n * cfg->latent);
	memset(g->r, 0, n * cfg->latent * sizeof(*g->r));
	while ((got = k3_experts_next(pass->experts, &ex, err)) == 1)
		if (expert(g, &ex, err) != 0)
			return -1;
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
	struct group g = { .pass = pass, .z = z, .r = r };
	struct k3_product down;
	const float *norm;

	if (k3_route(pass, x, pick, weight, err) != 0)
		return -1;
	if (pass->watch.routes != NULL &&
	    pass->watch.routes(pass->watch.arg, pass->layer, pass->span,
		pass->nspan, pick, weight, err) != 0)
		return -1;
	/* While the experts are read, what does not need them is computed. */
	if (ask(&g, pick, weight, err) != 0)
		return -1;
	guess(pass, x);
	if (k3_product(pass, K3_T_LATENT_DOWN, x, z, n, &down, err) != 0 ||
	    situ_ffn(pass, shared, (size_t)cfg->shared * cfg->moe, x, out,
		&down, err) != 0 ||
	    routed(&g, err) != 0 ||
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
