/*
 * verify-climb-show.c - what k3-verify same and k3-verify gates print
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/predict.h"
#include "tools/tool-json.h"
#include "tools/tool.h"
#include "tools/verify-climb.h"

/* Where no --disk is given: a usual one. */
#define DISK 3e9

void
climb_rung(struct climb *c, const struct ladder_rung *rung)
{
	bool good = rung->good == rung->of;
	struct k3_err first;

	/* Names of files are in it. */
	k3_fail(&first, EX_OK, "%s", rung->first);
	tool_progress_clear(&c->progress);
	c->different = c->different || !good;
	if (c->json) {
		c->rungs = k3_json_push(c->rungs,
		    k3_json_pack("{s:s,s:I,s:I,s:I,s:o}", "rung", rung->name,
			"same", (int64_t)rung->good, "of", (int64_t)rung->of,
			"not_run", (int64_t)rung->left, "first",
			tool_json_text(first.msg)));
		return;
	}
	if (!good)
		printf("%s: %s\n", rung->name, first.msg);
	printf("%s\t%" PRIu64 "/%" PRIu64, rung->name, rung->good, rung->of);
	if (rung->left > 0)
		printf("\t%" PRIu64 " not run", rung->left);
	putchar('\n');
	fflush(stdout);
}

static struct k3_json *
steps(const struct climb *c)
{
	struct k3_json *array = k3_json_pack("[]");
	char hex[17];

	for (uint32_t i = 0; i < c->count; i++) {
		const struct replay_step *s = &c->ladder.step[i];

		snprintf(hex, sizeof(hex), "%016" PRIx64, s->logits);
		array = k3_json_push(array, k3_json_pack("{s:I,s:s}", "id",
						(int64_t)s->id, "logits", hex));
	}
	return array;
}

int
climb_end(struct climb *c)
{
	struct k3_json *prompt = NULL, *json;
	struct k3_err err;
	int status;

	tool_progress_clear(&c->progress);
	if (c->json) {
		prompt = k3_json_pack("[]");
		for (size_t i = 0; i < c->prompt.n; i++)
			prompt = k3_json_push(prompt,
			    k3_json_pack("I", (int64_t)c->prompt.id[i]));
		json =
		    k3_json_pack("{s:o,s:o,s:o,s:b}", "prompt", prompt, "steps",
			steps(c), "rungs", c->rungs, "same", !c->different);
		if (k3_json_write(json, true, stdout, "<stdout>", &err) != 0)
			tool_die(&err);
		putchar('\n');
	} else {
		k3_json_free(c->rungs);
	}
	climb_close(c);
	status = tool_finish();
	return status != EX_OK ? status : c->different;
}

/* What a piece of work reads, and how long that takes. */
static void
cost(const struct climb *c, const struct k3_plan *plan,
    const struct climb_work *w, struct k3_cost *sum)
{
	struct k3_speed speed = c->speed;
	struct k3_cost prompt, token;
	struct k3_load load;
	double n = (double)w->prompts[0], tokens = (double)w->tokens;

	if (speed.trunk <= 0)
		speed.trunk = speed.experts = DISK;
	k3_predict_load(plan, &load);
	k3_predict_prompt(&load, &speed, (double)w->prompts[1], &prompt);
	k3_predict_token(&load, &speed, k3_predict_hits(&load), &token);
	sum->trunk = n * prompt.trunk + tokens * token.trunk;
	sum->experts = n * prompt.experts + tokens * token.experts;
	sum->seconds = n * prompt.seconds + tokens * token.seconds;
}

static void
line(const struct climb *c, const struct k3_plan *plan,
    const struct climb_work *w, bool open, double *bytes, double *seconds)
{
	double pins = open ? (double)k3_plan_pinned(plan) : 0, all;
	struct k3_cost sum;

	cost(c, plan, w, &sum);
	all = sum.trunk + sum.experts + pins;
	sum.seconds += pins / (c->speed.trunk > 0 ? c->speed.trunk : DISK);
	printf("%s\t%s\t%" PRIu64 "\t%.0f\t%.6g\n", w->rung, w->way,
	    plan->total, all, sum.seconds);
	*bytes += all;
	*seconds += sum.seconds;
}

void
climb_plan(const struct climb *c, const struct climb_work *more, size_t n)
{
	const struct ladder *l = &c->ladder;
	struct climb_work run = { "base", "as usual", { 1, l->prompt.n },
		l->prompt.count - 1 };
	double bytes = 0, seconds = 0;
	struct k3_plan plan;
	struct k3_err err;

	puts("rung\tway\tmemory\tbytes\tseconds");
	line(c, &l->plan, &run, true, &bytes, &seconds);
	for (size_t i = 0; i < n; i++)
		line(c, &l->plan, &more[i], false, &bytes, &seconds);
	for (size_t i = 0; i < l->nway; i++) {
		if (!l->way[i].fits)
			continue;
		if (k3_plan_make(&plan, &c->cfg, c->st, &l->way[i].how.plan,
			&err) != 0)
			tool_die(&err);
		run.rung = ladder_name(l->way[i].rung);
		run.way = l->way[i].name;
		line(c, &plan, &run, true, &bytes, &seconds);
	}
	printf("all\t\t\t%.0f\t%.6g\n", bytes, seconds);
}
