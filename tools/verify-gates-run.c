/*
 * verify-gates-run.c - the gates of k3-verify gates, one after the other
 */
#include <stdio.h>

#include "tools/verify-gates.h"
#include "tools/verify-steps.h"

static void
gate_tokens(struct gates *g)
{
	struct ladder_rung round = { .name = "tokenizer" };
	struct ladder_rung vectors = { .name = "tokens" };
	struct k3_err err;

	if (g->has_tok && tok_round(&g->tok, &round, &err) != 0)
		climb_die(&g->c, &err);
	climb_rung(&g->c, &round);
	if (g->tokens_path == NULL)
		return;
	if (tok_vectors(&g->tok, g->tokens_path, &vectors, &err) != 0)
		climb_die(&g->c, &err);
	climb_rung(&g->c, &vectors);
}

/* What somebody else's run gave, as soon as it is known. */
static void
gate_reference(struct gates *g)
{
	struct ladder_rung rung = { .name = "reference" };
	struct climb *c = &g->c;

	if (g->expect_path == NULL)
		return;
	expect_compare(&g->expect, g->fingerprint, c->ladder.step, c->count,
	    &rung);
	climb_rung(c, &rung);
}

/* Where time is over, a gate's steps, so many, are not looked at. */
static void
gate(struct gates *g, const char *name,
    int (*run)(const struct steps *s, struct ladder_rung *rung,
	struct k3_err *err),
    const struct steps *s, uint64_t count)
{
	struct ladder_rung rung = { .name = name };
	struct climb *c = &g->c;
	struct k3_err err;

	snprintf(c->what, sizeof(c->what), "%s", name);
	if (climb_late(c))
		rung.left = count;
	else if (run(s, &rung, &err) != 0)
		climb_die(c, &err);
	climb_rung(c, &rung);
}

static void
gate_teacher(struct gates *g, const struct steps *s)
{
	struct ladder_rung teacher = { .name = "teacher" };
	struct ladder_rung greedy = { .name = "greedy" };
	struct climb *c = &g->c;
	struct k3_err err;

	snprintf(c->what, sizeof(c->what), "teacher");
	if (climb_late(c))
		teacher.left = greedy.left = c->count;
	else if (steps_teacher(s, &teacher, &greedy, &err) != 0)
		climb_die(c, &err);
	climb_rung(c, &teacher);
	climb_rung(c, &greedy);
}

/* The base, and what holds of its steps while its model is open. */
static void
gate_steps(struct gates *g, uint32_t rows)
{
	struct climb *c = &g->c;
	struct ladder *l = &c->ladder;
	struct k3_state state[2] = { { 0 } };
	struct steps s = { .state = state,
		.prompt = &l->prompt,
		.step = l->step };
	struct replay r;
	struct k3_err err;

	s.r = &r;
	if (replay_open(&r, &l->host, &l->base, rows, &err) != 0)
		climb_die(c, &err);
	for (int k = 0; k < 2; k++)
		if (k3_state_init(&state[k], &c->cfg, l->base.plan.context,
			&err) != 0)
			climb_die(c, &err);
	if (replay_run(&r, &state[0], &l->prompt, l->step, &err) != 0)
		climb_die(c, &err);
	gate_reference(g);
	gate_teacher(g, &s);
	gate(g, "recompute", steps_recompute, &s, c->count);
	gate(g, "spans", steps_spans, &s, (uint64_t)2 * c->count);
	replay_close(&r);
	k3_state_fini(&state[0]);
	k3_state_fini(&state[1]);
}

void
gates_plan(const struct gates *g)
{
	uint64_t n = g->c.prompt.n, count = g->c.count;
	/* Anew: prompts that grow, so many of them of this length on average.
	   Beside each other: one more alone, and then two. */
	struct climb_work work[] = {
		{ "teacher", "all IDs together", { 1, n + count - 1 }, 0 },
		{ "recompute", "all IDs anew, at each step",
		    { count, n + count / 2 }, 0 },
		{ "spans", "beside another sequence", { 2, 2 * n },
		    2 * (count - 1) },
	};

	climb_plan(&g->c, work, sizeof(work) / sizeof(work[0]));
}

void
gates_run(struct gates *g, uint32_t rows)
{
	struct k3_err err;

	gate_tokens(g);
	gate_steps(g, rows);
	if (ladder_climb(&g->c.ladder, &err) != 0)
		climb_die(&g->c, &err);
}
