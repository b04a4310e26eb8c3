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

static double
all_experts(const struct k3_cfg *cfg)
{
	return (double)(cfg->nlayer - cfg->ndense) * cfg->experts;
}

static double
cached_share(const struct k3_plan *plan)
{
	double all = all_experts(plan->cfg);

	return all > 0 ? k3_plan_cached(plan) / all : 1;
}

double
k3_predict_hits(const struct k3_plan *plan)
{
	double share = cached_share(plan), a, b;

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

/* Experts of a layer that n tokens go to, of evenly spread ones. */
static double
distinct(const struct k3_cfg *cfg, double n)
{
	if (cfg->experts == 0)
		return 0;
	return cfg->experts *
	       (1 - pow(1 - (double)cfg->topk / cfg->experts, n));
}

/* The matrices, and those that are used while experts are read. */
static void
weigh(const struct k3_plan *plan, double *all, double *beside)
{
	*all = *beside = 0;
	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			double bytes = (double)k3_plan_matrix(plan, i, t);

			*all += bytes;
			if (t == K3_T_LATENT_DOWN || t == K3_T_SHARED_GATE ||
			    t == K3_T_SHARED_UP || t == K3_T_SHARED_DOWN)
				*beside += bytes;
		}
}

/* Seconds of compute: weights pass through the cores, or FLOPs bind. */
static double
compute(const struct k3_speed *speed, double bytes, double weights, double n)
{
	double read = speed->memory > 0 ? bytes / speed->memory : 0;
	double flops = speed->flops > 0 ? 2 * weights * n / speed->flops : 0;

	return read > flops ? read : flops;
}

/* A pass of n tokens that reads so many experts of those that it uses. */
static void
pass(const struct k3_plan *plan, const struct k3_speed *speed, double n,
    double used, double missed, struct k3_cost *cost)
{
	const struct k3_cfg *cfg = plan->cfg;
	double each = (double)k3_cfg_expert_bytes(cfg);
	double moe = cfg->nlayer - cfg->ndense;
	double picked = 3.0 * cfg->moe * cfg->latent * moe * cfg->topk;
	double all, beside, part, rest, trunk = 0, experts = 0;

	weigh(plan, &all, &beside);
	/* Two bytes a weight: a matrix of another type is rare and small. */
	part = compute(speed, beside + used * each, beside / 2 + picked, n);
	rest = compute(speed, all - beside, (all - beside) / 2, n);
	cost->trunk += (double)k3_plan_trunk_reads(plan);
	cost->experts += missed * each;
	if (speed->disk > 0) {
		trunk = (double)k3_plan_trunk_reads(plan) / speed->disk;
		experts = missed * each / speed->disk;
	}
	cost->seconds += fmax(trunk, rest) + fmax(experts, part);
}

void
k3_predict_token(const struct k3_plan *plan, const struct k3_speed *speed,
    double hits, struct k3_cost *cost)
{
	const struct k3_cfg *cfg = plan->cfg;
	double used = (double)(cfg->nlayer - cfg->ndense) * cfg->topk;

	*cost = (struct k3_cost){ 0 };
	pass(plan, speed, 1, used, used * (1 - hits), cost);
}

/*
 * A chunk asks for so many experts that what stays of one until the next is
 * about the cache's share of all.
 */
void
k3_predict_prompt(const struct k3_plan *plan, const struct k3_speed *speed,
    uint64_t n, struct k3_cost *cost)
{
	const struct k3_cfg *cfg = plan->cfg;
	double moe = cfg->nlayer - cfg->ndense, used;
	uint64_t full = n / plan->chunk, rest = n % plan->chunk;
	struct k3_cost one = { 0 };

	*cost = one;
	if (full > 0) {
		used = moe * distinct(cfg, plan->chunk);
		pass(plan, speed, plan->chunk, used,
		    used * (1 - cached_share(plan)), &one);
		cost->trunk = one.trunk * (double)full;
		cost->experts = one.experts * (double)full;
		cost->seconds = one.seconds * (double)full;
	}
	if (rest > 0) {
		used = moe * distinct(cfg, (double)rest);
		pass(plan, speed, (double)rest, used,
		    used * (1 - cached_share(plan)), cost);
	}
}
