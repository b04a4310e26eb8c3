/*
 * predict.c - how many bytes, and how many seconds, a plan costs
 */
#include <math.h>

#include "common/planimpl.h"
#include "common/predict.h"

/*
 * Hits by the share of all experts that the cache holds: 300 tokens decoded by
 * Kimi-Linear 48B (cache.c has the table).  From half of them on all that is
 * missed is what was never demanded before, which a long run gets over.
 */
static const struct {
	double share, hits;
} curve[] = { { 0, 0 }, { 0.0150, 0.245 }, { 0.0313, 0.362 }, { 0.0625, 0.484 },
	{ 0.125, 0.615 }, { 0.25, 0.745 }, { 0.5, 0.875 }, { 1, 1 } };

#define NCURVE (sizeof(curve) / sizeof(*curve))

/* Two bytes a weight: a matrix of another type is rare and small. */
#define DENSE_WEIGHTS (1 / 2.0)

/* Half a byte, and a byte for the scale of each group. */
#define EXPERT_WEIGHTS (1 / (0.5 + 1.0 / K3_MX_GROUP))

/* The matrices, and those that are used while experts are read. */
static void
weigh(const struct k3_plan *plan, struct k3_load *load)
{
	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			double bytes = (double)k3_plan_matrix(plan, i, t);

			load->matrices += bytes;
			if (t == K3_T_LATENT_DOWN || t == K3_T_SHARED_GATE ||
			    t == K3_T_SHARED_UP || t == K3_T_SHARED_DOWN)
				load->beside += bytes;
		}
}

void
k3_predict_load(const struct k3_plan *plan, struct k3_load *load)
{
	const struct k3_cfg *cfg = plan->cfg;

	*load = (struct k3_load){
		.trunk = (double)k3_plan_trunk_reads(plan),
		.expert = (double)k3_cfg_expert_bytes(cfg),
		.layers = cfg->nlayer - cfg->ndense,
		.experts = cfg->experts,
		.topk = cfg->topk,
		.cached = k3_plan_cached(plan),
		.chunk = plan->chunk,
	};
	weigh(plan, load);
}

static double
cached_share(const struct k3_load *load)
{
	double all = load->layers * load->experts;

	return all > 0 ? load->cached / all : 1;
}

double
k3_predict_hits(const struct k3_load *load)
{
	double share = cached_share(load), a, b;

	for (size_t i = 1; i < NCURVE; i++) {
		if (share > curve[i].share)
			continue;
		a = curve[i - 1].share;
		b = curve[i].share;
		return curve[i - 1].hits +
		       (share - a) / (b - a) *
			   (curve[i].hits - curve[i - 1].hits);
	}
	return 1;
}

double
k3_predict_used(const struct k3_load *load, double n)
{
	if (load->experts <= 0)
		return 0;
	return load->layers * load->experts *
	       (1 - pow(1 - load->topk / load->experts, n));
}

double
k3_predict_bytes(const struct k3_load *load)
{
	return load->matrices + load->layers * load->topk * load->expert;
}

double
k3_predict_flops(const struct k3_load *load, double n)
{
	return 2 * n *
	       (load->matrices * DENSE_WEIGHTS +
		   load->layers * load->topk * load->expert * EXPERT_WEIGHTS);
}

/* Seconds of compute: weights pass through the cores, or FLOPs bind. */
static double
compute(const struct k3_speed *speed, double bytes, double weights, double n)
{
	double read = speed->memory > 0 ? bytes / speed->memory : 0;
	double flops = speed->flops > 0 ? 2 * weights * n / speed->flops : 0;

	return read > flops ? read : flops;
}

static double
reading(double bytes, double rate)
{
	return rate > 0 ? bytes / rate : 0;
}

void
k3_predict_pass(const struct k3_load *load, const struct k3_speed *speed,
    double n, double used, double trunk, double experts, struct k3_cost *cost)
{
	double rest = load->matrices - load->beside;
	double picked = load->layers * load->topk * load->expert;
	double before = compute(speed, rest, rest * DENSE_WEIGHTS, n);
	double part = compute(speed, load->beside + used * load->expert,
	    load->beside * DENSE_WEIGHTS + picked * EXPERT_WEIGHTS, n);

	cost->trunk += trunk;
	cost->experts += experts;
	cost->seconds += fmax(reading(trunk, speed->trunk), before) +
			 fmax(reading(experts, speed->experts), part);
}

void
k3_predict_token(const struct k3_load *load, const struct k3_speed *speed,
    double hits, struct k3_cost *cost)
{
	double used = load->layers * load->topk;

	*cost = (struct k3_cost){ 0 };
	k3_predict_pass(load, speed, 1, used, load->trunk,
	    used * (1 - hits) * load->expert, cost);
}

/*
 * Passes of n tokens, so many of them.  A chunk asks for so many experts that
 * what stays of one until the next is about the cache's share of all.
 */
static void
chunks(const struct k3_load *load, const struct k3_speed *speed, double n,
    double times, struct k3_cost *cost)
{
	double used = k3_predict_used(load, n);
	struct k3_cost one = { 0 };

	k3_predict_pass(load, speed, n, used, load->trunk,
	    used * (1 - cached_share(load)) * load->expert, &one);
	cost->trunk += one.trunk * times;
	cost->experts += one.experts * times;
	cost->seconds += one.seconds * times;
}

void
k3_predict_prompt(const struct k3_load *load, const struct k3_speed *speed,
    double n, struct k3_cost *cost)
{
	double full = floor(n / load->chunk), rest = n - full * load->chunk;

	*cost = (struct k3_cost){ 0 };
	if (full > 0)
		chunks(load, speed, load->chunk, full, cost);
	if (rest > 0)
		chunks(load, speed, rest, 1, cost);
}
