/*
 * ladder.c - a wrong engine is found out, by the rung that it is wrong on
 *
 * Kernels are wrapped so that some runs have another last bit somewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu.h"
#include "kernels/kernels.h"
#include "tests/tap.h"
#include "tools/verify-steps.h"
#include "tools/verify-tok.h"

#define IDS   9
#define COUNT 8

static struct k3_err err;
static const uint32_t prompt[IDS] = { 3, 1, 4, 1, 5, 9, 2, 6, 5 };

/* What the wrapped product does; the model runs it in several threads. */
static struct {
	k3_mul_fn *mul;
	size_t tokens; /* wrong for so many together; 0: for any number */
} wrong;

static void
wrong_mul(const struct k3_mul *m)
{
	uint32_t bits;

	wrong.mul(m);
	if (wrong.tokens != 0 && m->tokens != wrong.tokens)
		return;
	for (size_t t = 0; t < m->tokens && m->rows > 0; t++) {
		memcpy(&bits, &m->y[t * m->ldy], sizeof(bits));
		bits ^= 1;
		memcpy(&m->y[t * m->ldy], &bits, sizeof(bits));
	}
}

/* Which models have it: */
static struct {
	const char *way;  /* those of this way, */
	k3_mul_fn *level; /* those with this product, */
	bool all;         /* or all */
	const char *now;
} where;

static bool
on_begin(void *arg, const struct ladder_way *way)
{
	(void)arg;
	where.now = way->name;
	return true;
}

static void
on_opened(void *arg, struct k3_model *model)
{
	struct k3_kern *kern;

	(void)arg;
	if (model == NULL)
		return;
	kern = k3_model_kern(model);
	if (where.all || kern->mul_bf16 == where.level ||
	    (where.way != NULL && strcmp(where.way, where.now) == 0)) {
		wrong.mul = kern->mul_bf16;
		kern->mul_bf16 = wrong_mul;
	}
}

/* The rungs of a climb, in their order. */
static struct ladder_rung rungs[LADDER_NRUNG];
static size_t nrung;

static void
on_done(void *arg, const struct ladder_rung *rung)
{
	(void)arg;
	rungs[nrung++] = *rung;
}

static void
nobody_is_wrong(void)
{
	memset(&where, 0, sizeof(where));
	memset(&wrong, 0, sizeof(wrong));
	where.now = "base";
}

static bool
open_ladder(struct ladder *l, struct k3_cfg *cfg, const char *dir)
{
	static struct replay_step step[COUNT];

	memset(l, 0, sizeof(*l));
	l->host.cfg = cfg;
	l->host.opened = on_opened;
	l->begin = on_begin;
	l->done = on_done;
	l->step = step;
	l->prompt = (struct replay_prompt){ prompt, IDS, COUNT };
	l->base.how.cpu = k3_cpu_best();
	l->base.plan = (struct k3_plan_ask){ .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.ram = UINT64_MAX,
		.context = IDS + COUNT,
		.sequences = 2,
		.threads = 2 };
	nobody_is_wrong();
	return k3_cfg_load(cfg, dir, &err) == 0 &&
	       (l->host.st = k3_st_open(dir, cfg, &err)) != NULL &&
	       ladder_ways(l, false, &err) == 0;
}

static bool
climb(struct ladder *l)
{
	nrung = 0;
	where.now = "base";
	if (replay_way(&l->host, &l->base, &l->prompt, l->step, &err) == 0 &&
	    ladder_climb(l, &err) == 0)
		return true;
	diag("%s", err.msg);
	return false;
}

/* Are all rungs as they should be, but for this one, and the last? */
static bool
others_are_good(enum ladder_rung_name but)
{
	bool good = nrung == LADDER_NRUNG;

	for (size_t i = 0; i < LADDER_TOGETHER; i++)
		if (i != but && rungs[i].good != rungs[i].of) {
			diag("%s", rungs[i].first);
			good = false;
		}
	return good;
}

/* Each way, if it alone is wrong, is the one that is named. */
static void
each_way(struct ladder *l)
{
	for (size_t i = 0; i < l->nway; i++) {
		enum ladder_rung_name r = l->way[i].rung;
		const char *name = l->way[i].name;

		nobody_is_wrong();
		where.way = name;
		ok(climb(l) && others_are_good(r) &&
			rungs[r].good + 1 == rungs[r].of &&
			strncmp(rungs[r].first, name, strlen(name)) == 0,
		    "wrong is '%s': %s", name, rungs[r].first);
	}
}

/* An engine that does not know what is asked of it, and yet is found out. */
static void
properties(struct ladder *l)
{
	struct k3_kern plain;

	nobody_is_wrong();
	where.all = true;
	wrong.tokens = 3;
	ok(climb(l) && others_are_good(LADDER_CHUNKS) &&
		rungs[LADDER_CHUNKS].good + 1 == rungs[LADDER_CHUNKS].of &&
		strncmp(rungs[LADDER_CHUNKS].first, "chunk 3:", 8) == 0,
	    "products of three tokens are wrong: chunk 3 is");
	ok(rungs[LADDER_TOGETHER].good == 0 && rungs[LADDER_TOGETHER].of == 1,
	    "and so is all at once, which has chunks of 3");
	nobody_is_wrong();
	k3_kern_init(&plain, 0);
	where.level = plain.mul_bf16;
	if (k3_cpu_plain(k3_cpu_best()))
		skip("plain C is wrong", "this CPU has nothing else");
	else
		ok(climb(l) && others_are_good(LADDER_CPU) &&
			rungs[LADDER_CPU].good + 1 == rungs[LADDER_CPU].of &&
			strncmp(rungs[LADDER_CPU].first, "level scalar:", 13) ==
			    0,
		    "plain C is wrong: level scalar is");
}

/* The gates that need one model, with products of so many tokens wrong. */
static struct {
	struct ladder_rung teacher, greedy, recompute, spans;
} gates;

static bool
run_gates(struct ladder *l, size_t tokens, bool other_id)
{
	struct k3_state state[2] = { { 0 } };
	struct steps s = { .state = state,
		.prompt = &l->prompt,
		.step = l->step };
	struct replay r;
	bool good;

	memset(&gates, 0, sizeof(gates));
	nobody_is_wrong();
	where.all = tokens > 0;
	wrong.tokens = tokens;
	s.r = &r;
	if (replay_open(&r, &l->host, &l->base, COUNT, &err) != 0)
		return false;
	good = k3_state_init(&state[0], l->host.cfg, IDS + COUNT, &err) == 0 &&
	       k3_state_init(&state[1], l->host.cfg, IDS + COUNT, &err) == 0 &&
	       replay_run(&r, &state[0], &l->prompt, l->step, &err) == 0;
	/* Of the last step the ID is not fed. */
	l->step[COUNT - 1].id ^= other_id;
	good = good &&
	       steps_teacher(&s, &gates.teacher, &gates.greedy, &err) == 0 &&
	       steps_recompute(&s, &gates.recompute, &err) == 0 &&
	       steps_spans(&s, &gates.spans, &err) == 0;
	replay_close(&r);
	k3_state_fini(&state[0]);
	k3_state_fini(&state[1]);
	return good;
}

static bool
is_whole(const struct ladder_rung *rung, uint64_t of)
{
	return rung->good == of && rung->of == of && rung->first[0] == '\0';
}

static void
one_model(struct ladder *l)
{
	ok(run_gates(l, 0, false) && is_whole(&gates.teacher, COUNT) &&
		is_whole(&gates.greedy, COUNT) &&
		is_whole(&gates.recompute, COUNT) &&
		is_whole(&gates.spans, (uint64_t)2 * COUNT),
	    "nothing is wrong: all gates are whole");
	ok(run_gates(l, IDS + COUNT - 1, false) && gates.teacher.good == 0 &&
		gates.recompute.good == COUNT - 1 &&
		is_whole(&gates.spans, (uint64_t)2 * COUNT),
	    "all IDs together are wrong: %s", gates.teacher.first);
	ok(run_gates(l, IDS + 2, false) && is_whole(&gates.teacher, COUNT) &&
		gates.recompute.good == COUNT - 1 &&
		strstr(gates.recompute.first, "step 2:") != NULL &&
		is_whole(&gates.spans, (uint64_t)2 * COUNT),
	    "one recomputation is wrong: %s", gates.recompute.first);
	ok(run_gates(l, 2, false) && is_whole(&gates.teacher, COUNT) &&
		is_whole(&gates.recompute, COUNT) && gates.spans.good == 2,
	    "two tokens beside each other are wrong: %s", gates.spans.first);
	ok(run_gates(l, 0, true) && gates.greedy.good == COUNT - 1 &&
		strstr(gates.greedy.first, "step 7:") != NULL,
	    "an ID that is not the largest: %s", gates.greedy.first);
}

static void
ties(void)
{
	static const float row[] = { 1, 3, -2, 3, 3 };
	static struct k3_cfg cfg;

	cfg.vocab = 5;
	ok(replay_look(&cfg, row).id == 1 && replay_look(&cfg, row).plain == 1,
	    "of equal logits both choices are the lowest ID");
}

static void
tokenizer(const char *dir)
{
	struct ladder_rung good = { 0 }, bad = { 0 };
	struct k3_tok tok;

	if (!ok(k3_tok_open(&tok, dir, &err) == 0 &&
		    tok_round(&tok, &good, &err) == 0 && good.good == good.of &&
		    good.of > tok.size,
		"a tokenizer gives back %d texts", (int)good.of))
		return;
	tok.special.begins['<'] = false;
	tok_round(&tok, &bad, &err);
	ok(bad.good < bad.of && bad.of == good.of,
	    "special names are not looked for: %s", bad.first);
	k3_tok_close(&tok);
}

int
main(void)
{
	const char *toys = getenv("K3_TOYS");
	static struct ladder l;
	static struct k3_cfg cfg;
	char dir[512];

	if (toys == NULL) {
		skip("ladder", "K3_TOYS is not set");
		return tap_done();
	}
	ties();
	snprintf(dir, sizeof(dir), "%s/tiny", toys);
	tokenizer(dir);
	if (!ok(open_ladder(&l, &cfg, dir), "tiny opens"))
		return tap_done();
	ok(climb(&l) && others_are_good(LADDER_NRUNG) &&
		rungs[LADDER_TOGETHER].good == 1,
	    "nothing is wrong: all rungs are whole");
	each_way(&l);
	properties(&l);
	one_model(&l);
	k3_st_close(l.host.st);
	return tap_done();
}
