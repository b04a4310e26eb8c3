/*
 * router.c - which experts a token goes to
 */
#include <math.h>

#include "common/linear.h"
#include "common/router.h"

/*
 * Selection by repeated maximum: topk passes over the experts cost less than
 * reading one row of the router.  A picked expert is marked in 'taken'.
 */
void
k3_pick(const struct k3_cfg *cfg, const float *s, const float *bias,
    uint32_t *taken, uint32_t *pick, float *weight)
{
	float sum = 0;
	uint32_t n = 0;

	for (uint32_t e = 0; e < cfg->experts; e++)
		taken[e] = 0;
	for (uint32_t k = 0; k < cfg->topk; k++) {
		uint32_t best = cfg->experts;

		for (uint32_t e = 0; e < cfg->experts; e++)
			if (!taken[e] &&
			    (best == cfg->experts ||
				s[e] + bias[e] > s[best] + bias[best]))
				best = e;
		taken[best] = 1;
	}
	for (uint32_t e = 0; e < cfg->experts; e++)
		if (taken[e]) {
			pick[n++] = e;
			sum += s[e];
		}
	for (uint32_t k = 0; k < n; k++)
		weight[k] = s[pick[k]] / (sum + 1e-20f) * (float)cfg->scaling;
}

void
k3_pick_best(const struct k3_cfg *cfg, float *s, const float *bias,
    uint32_t *list, size_t n)
{
	for (uint32_t e = 0; e < cfg->experts; e++)
		s[e] += bias[e];
	for (size_t k = 0; k < n; k++) {
		uint32_t best = 0;

		for (uint32_t e = 1; e < cfg->experts; e++)
			if (s[e] > s[best])
				best = e;
		list[k] = best;
		s[best] = -INFINITY;
	}
}

int
k3_route(struct k3_pass *pass, const float *x, uint32_t *pick, float *weight,
    struct k3_err *err)
{
	const struct k3_cfg *cfg = pass->cfg;
	uint64_t mark = pass->scratch.used;
	size_t n = pass->rows;
	float *s = k3_scratch_floats(&pass->scratch, n * cfg->experts);
	uint32_t *taken = k3_scratch_words(&pass->scratch, cfg->experts);
	const float *bias;

	if (k3_linear(pass, K3_T_ROUTER, x, s, n, err) != 0 ||
	    (bias = k3_vector(pass, K3_T_ROUTER_BIAS, err)) == NULL)
		return -1;
	pass->kern->sigmoid(s, n * cfg->experts);
	for (size_t t = 0; t < n; t++)
		k3_pick(cfg, s + t * cfg->experts, bias, taken,
		    pick + t * cfg->topk, weight + t * cfg->topk);
	pass->scratch.used = mark;
	return 0;
}

size_t
k3_route_ahead(struct k3_pass *pass, const float *x, uint32_t *list, size_t n)
{
	const struct k3_cfg *cfg = pass->cfg;
	unsigned layer = pass->layer + 1;
	uint64_t mark = pass->scratch.used;
	float *s = k3_scratch_floats(&pass->scratch, cfg->experts);
	const float *bias;
	struct k3_weight w;
	struct k3_err err;

	n = n < cfg->experts ? n : cfg->experts;
	if (layer == cfg->nlayer ||
	    !k3_trunk_pinned(pass->trunk, layer, K3_T_ROUTER, &w) ||
	    k3_linear_weight(pass, w, "router", x, w.n, s, w.rows, 1, &err) !=
		0 ||
	    (bias = k3_vector_weight(pass,
		 k3_trunk_vector(pass->trunk, layer, K3_T_ROUTER_BIAS), "bias",
		 &err)) == NULL)
		n = 0;
	if (n > 0) {
		pass->kern->sigmoid(s, cfg->experts);
		k3_pick_best(cfg, s, bias, list, n);
	}
	pass->scratch.used = mark;
	return n;
}
