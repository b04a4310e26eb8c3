/*
 * decode-plan.c - the plan of k3-decode: who gets how much, shown
 */
#include <inttypes.h>

#include "common/predict.h"
#include "common/sizes.h"
#include "tools/decode.h"
#include "tools/tool.h"

/* One line for each kind of layer that the model has. */
static void
show_layers(const struct decode *d)
{
	const struct k3_cfg *cfg = &d->cfg;
	bool seen[4] = { false };

	for (unsigned i = 0; i < cfg->nlayer; i++) {
		unsigned kind = (cfg->mla[i] ? 2u : 0) + (i < cfg->ndense);

		if (seen[kind])
			continue;
		seen[kind] = true;
		printf("  layer %-4u %s, %-9s %18" PRIu64 "\n", i,
		    cfg->mla[i] ? "MLA" : "KDA",
		    i < cfg->ndense ? "dense" : "MoE",
		    k3_layer_bytes(cfg, d->st, i));
	}
}

static void
show_model(const struct decode *d)
{
	const struct k3_cfg *cfg = &d->cfg;
	struct k3_sizes z;

	k3_sizes(&z, cfg, d->st);
	printf("checkpoint                %18" PRIu64 "  %u files, %" PRIu64
	       " tensors\n",
	    k3_st_bytes(d->st), k3_st_nfile(d->st), k3_st_count(d->st));
	printf("routed experts            %18" PRIu64 "  %u layers x %" PRIu32
	       " x %" PRIu64 "\n",
	    z.experts, cfg->nlayer - cfg->ndense, cfg->experts, z.expert);
	printf("trunk                     %18" PRIu64 "  %u layers\n", z.trunk,
	    cfg->nlayer);
	show_layers(d);
	printf("head                      %18" PRIu64 "\n", z.head);
	printf("KDA state                 %18" PRIu64 "  + %" PRIu64
	       " convolution inputs\n",
	    z.kda, z.conv);
	printf("latents, a position       %18" PRIu64 "\n\n", z.latent);
}

static void
show_memory(const struct k3_plan *plan)
{
	for (unsigned i = 0; i < K3_PLAN_NITEM; i++)
		printf("%-10s %15" PRIu64 "  %s\n",
		    k3_plan_name((enum k3_plan_item)i), plan->item[i],
		    k3_plan_why((enum k3_plan_item)i));
	printf("%-10s %15" PRIu64 "\n", "total", plan->total);
	printf("%.0f %% of the matrices pinned; %" PRIu32 " experts cached; "
	       "chunk %" PRIu32 "; context %" PRIu32 "\n\n",
	    100.0 * (double)k3_plan_pinned(plan) /
		(double)k3_plan_matrices(plan),
	    k3_plan_cached(plan), plan->chunk, plan->ask.context);
}

/* GB/s to show times for, if none is given. */
static const double rates[] = { 1, 3, 7, 14 };

#define NRATE (sizeof(rates) / sizeof(*rates))

/* Number 'i' of the rates to show; false after the last. */
static bool
rate(const struct decode *d, size_t i, struct k3_speed *speed)
{
	*speed = d->o->speed;
	if (speed->experts > 0)
		return i == 0;
	if (i < NRATE)
		speed->trunk = speed->experts = rates[i] * 1e9;
	return i < NRATE;
}

static void
predict(const struct decode *d, const struct k3_speed *speed,
    struct k3_cost *token, struct k3_cost *prompt)
{
	struct k3_load load;

	k3_predict_load(&d->plan, &load);
	k3_predict_token(&load, speed, k3_predict_hits(&load), token);
	k3_predict_prompt(&load, speed, (double)d->o->prompt, prompt);
}

static void
show_reads(const struct decode *d)
{
	const struct k3_plan *plan = &d->plan;
	struct k3_cost token, prompt;
	struct k3_speed speed;
	struct k3_load load;

	k3_predict_load(plan, &load);
	rate(d, 0, &speed);
	predict(d, &speed, &token, &prompt);
	printf("a token reads %.4g GB: %.4g of trunk and, with %.0f %% in the "
	       "cache, %.4g of experts\n",
	    (token.trunk + token.experts) / 1e9, token.trunk / 1e9,
	    100 * k3_predict_hits(&load), token.experts / 1e9);
	if (d->o->prompt > 0)
		printf("a prompt of %" PRIu64
		       " tokens reads %.4g GB, in passes of %" PRIu32
		       " tokens: %.4g GB a token\n",
		    d->o->prompt, (prompt.trunk + prompt.experts) / 1e9,
		    plan->chunk,
		    (prompt.trunk + prompt.experts) / 1e9 /
			(double)d->o->prompt);
	if (k3_plan_pinned(plan) > 0)
		printf("once, what stays is read: %.4g GB\n",
		    (double)k3_plan_pinned(plan) / 1e9);
	for (size_t i = 0; rate(d, i, &speed); i++) {
		predict(d, &speed, &token, &prompt);
		printf("at %4.3g GB/s", speed.trunk / 1e9);
		if (speed.experts != speed.trunk)
			printf(" of trunk and %.3g of experts",
			    speed.experts / 1e9);
		printf(": %.4g s a token", token.seconds);
		if (d->o->prompt > 0)
			printf(", %.4g s the prompt", prompt.seconds);
		putchar('\n');
	}
}

/* The same for programs. */
static struct k3_json *
json_reads(const struct decode *d)
{
	struct k3_json *times = k3_json_pack("[]");
	struct k3_cost token, prompt;
	struct k3_speed speed;
	struct k3_load load;

	for (size_t i = 0; rate(d, i, &speed); i++) {
		predict(d, &speed, &token, &prompt);
		times = k3_json_push(times,
		    k3_json_pack("{s:f,s:f,s:f,s:f}", "disk", speed.trunk,
			"expert_disk", speed.experts, "token_seconds",
			token.seconds, "prompt_seconds", prompt.seconds));
	}
	k3_predict_load(&d->plan, &load);
	rate(d, 0, &speed);
	predict(d, &speed, &token, &prompt);
	return k3_json_pack("{s:I,s:I,s:f,s:I,s:I,s:o}", "prompt",
	    (int64_t)d->o->prompt, "prompt_bytes",
	    (int64_t)(prompt.trunk + prompt.experts), "hits",
	    k3_predict_hits(&load), "token_trunk_bytes", (int64_t)token.trunk,
	    "token_expert_bytes", (int64_t)token.experts, "times", times);
}

void
decode_show_plan(struct decode *d)
{
	struct k3_json *json;
	struct k3_err err;

	if (!d->o->json) {
		show_model(d);
		show_memory(&d->plan);
		show_reads(d);
		return;
	}
	json = k3_json_pack("{s:o,s:o,s:o}", "model",
	    k3_report_model(&d->cfg, d->st), "plan", k3_report_plan(&d->plan),
	    "reads", json_reads(d));
	if (k3_json_write(json, true, stdout, "<stdout>", &err) != 0)
		tool_die(&err);
	putchar('\n');
}
