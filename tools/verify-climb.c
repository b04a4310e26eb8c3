/*
 * verify-climb.c - what k3-verify same and k3-verify gates have in common
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tools/tool-index.h"
#include "tools/tool-input.h"
#include "tools/tool-signal.h"
#include "tools/tool-speed.h"
#include "tools/tool.h"
#include "tools/verify-climb.h"

void
climb_init(struct climb *c)
{
	memset(c, 0, sizeof(*c));
	tool_engine_init(&c->engine);
	c->lock = -1;
	c->start = k3_clock();
}

bool
climb_option(struct climb *c, int opt, char *arg)
{
	switch (opt) {
	case CLIMB_BUDGET:
		c->budget = tool_seconds("--budget", arg);
		return true;
	case CLIMB_DISK:
		tool_speed_disk("--disk", arg, &c->speed);
		return true;
	case CLIMB_JSON:
		c->json = true;
		return true;
	case 'n':
		c->count = (uint32_t)tool_number("--count", arg, 1, CLIMB_MOST);
		return true;
	case CLIMB_PLAN:
		c->plan = true;
		return true;
	case CLIMB_QUICK:
		c->quick = true;
		return true;
	case 'q':
		c->quiet = true;
		tool_quiet();
		return true;
	default:
		return tool_engine_option(&c->engine, opt, arg);
	}
}

bool
climb_agrees(const struct climb *c)
{
	return c->plan ? !c->json : c->speed.trunk <= 0;
}

noreturn void
climb_die(struct climb *c, const struct k3_err *err)
{
	tool_progress_clear(&c->progress);
	fflush(stdout);
	if (tool_signal_stop())
		tool_signal_die();
	tool_die(err);
}

void
climb_open(struct climb *c)
{
	struct k3_err err;

	tool_signal_init();
	tool_engine_config(&c->engine, &c->cfg);
	c->st = c->plan ? tool_index(c->engine.dir, &c->cfg)
			: k3_st_open(c->engine.dir, &c->cfg, &err);
	if (c->st == NULL)
		climb_die(c, &err);
	tool_engine_digests(&c->engine, &c->cfg, c->st, c->plan);
	c->packed = tool_engine_packed(&c->engine);
	c->rungs = k3_json_pack("[]");
}

void
climb_close(struct climb *c)
{
	k3_ids_seq_fini(&c->prompt);
	free(c->ladder.step);
	k3_st_close(c->st);
	k3_sidecar_close(c->engine.digests);
	free(c->packed);
}

void
climb_prompt(struct climb *c, const char *path)
{
	struct k3_ids *in = tool_input_open(path, &c->cfg);
	struct k3_ids_seq next = { 0 };
	struct k3_err err;
	int got = tool_input_next(in, &c->prompt, 0, &c->cfg, &err);

	if (got == 0 || (got == 1 && c->prompt.n == 0))
		got =
		    k3_fail(&err, EX_DATAERR, "'%s' line 1: no IDs", in->name);
	if (got == 1)
		got = tool_input_next(in, &next, 0, &c->cfg, &err);
	if (got == 1)
		got = k3_fail(&err, EX_DATAERR,
		    "'%s' line 2: a second sequence, and one is compared",
		    in->name);
	if (got < 0)
		climb_die(c, &err);
	k3_ids_seq_fini(&next);
	free(in);
}

/* The memory that is left now, if it depends on that; nobody else looks. */
static void
on_opening(void *arg, struct replay_way *way)
{
	struct climb *c = arg;
	struct k3_plan_ask now;

	if (!tool_memory_auto(&c->engine))
		return;
	c->lock = tool_memory_lock();
	tool_memory_ask(&c->engine, &c->cfg, c->prompt.n, c->count, &now);
	if (now.ram < way->plan.ram)
		way->plan.ram = now.ram;
}

static void
on_opened(void *arg, struct k3_model *model)
{
	struct climb *c = arg;
	char note[256];

	if (c->lock != -1)
		close(c->lock);
	c->lock = -1;
	/* The first is the base, and tells of the machine. */
	if (model != NULL && c->progress.done == 0 &&
	    k3_io_note(k3_model_io(model), note, sizeof(note)))
		tool_note("%s", note);
}

static int
on_tick(void *arg, uint32_t tokens, struct k3_err *err)
{
	struct climb *c = arg;

	if (tool_signal_stop())
		return k3_fail(err, EX_OK, "stopped");
	tool_progress_add(&c->progress, tokens);
	return 0;
}

bool
climb_late(const struct climb *c)
{
	return c->budget > 0 && k3_clock() - c->start > c->budget;
}

static bool
on_begin(void *arg, const struct ladder_way *way)
{
	struct climb *c = arg;

	if (climb_late(c)) {
		c->progress.total -= ladder_tokens(&c->ladder);
		return false;
	}
	snprintf(c->what, sizeof(c->what), "%s, %s", ladder_name(way->rung),
	    way->name);
	return true;
}

static void
on_done(void *arg, const struct ladder_rung *rung)
{
	struct climb *c = arg;

	if (!c->quick || rung->of + rung->left > 0)
		climb_rung(c, rung);
}

void
climb_begin(struct climb *c, uint32_t sequences, uint32_t together,
    uint32_t rows, uint64_t more)
{
	struct ladder *l = &c->ladder;
	struct replay_way *base = &l->base;
	struct k3_err err;
	uint64_t tokens;

	if (c->count == 0)
		c->count = CLIMB_USUAL;
	l->host = (struct replay_host){ &c->cfg, c->st, c, on_opening,
		on_opened, on_tick };
	l->begin = on_begin;
	l->done = on_done;
	l->prompt = (struct replay_prompt){ c->prompt.id, (uint32_t)c->prompt.n,
		c->count };
	/* Neither more nor fewer positions than are run. */
	c->engine.context = l->prompt.n + c->count;
	tool_memory_ask(&c->engine, &c->cfg, together, c->count, &base->plan);
	base->plan.sequences = sequences;
	base->plan.files += replay_bytes(&c->cfg, rows);
	base->how = (struct k3_model_ask){ .cpu = c->engine.level,
		.packed = c->packed,
		.touch = tool_memory_auto(&c->engine),
		.digests = c->engine.digests,
		.io = { .engine = c->engine.how,
		    .timeout = (double)c->engine.io_timeout } };
	l->step = calloc(c->count, sizeof(*l->step));
	if (l->step == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'steps'");
		climb_die(c, &err);
	}
	if (ladder_ways(l, c->quick, &err) != 0)
		climb_die(c, &err);
	if (tool_memory_auto(&c->engine))
		tool_memory_tell(&c->engine, &l->plan);
	tokens = ladder_tokens(l) * (l->nfit + 1) + more;
	tool_progress_init(&c->progress, TOOL_TOKENS, tokens, c->quiet,
	    c->engine.verbose);
	snprintf(c->what, sizeof(c->what), "base");
	c->progress.what = c->what;
}
