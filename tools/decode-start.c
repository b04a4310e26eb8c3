/*
 * decode-start.c - memory, model and files, before the first prompt
 */
#include <unistd.h>

#include "common/mem.h"
#include "tools/decode.h"
#include "tools/tool.h"

/* What else than IDs its files take. */
static uint64_t
hidden_bytes(const struct decode *d)
{
	uint64_t row = (uint64_t)2 * d->cfg.hidden * sizeof(float);

	if (d->o->hidden == NULL)
		return 0;
	return d->cfg.nlayer * (DECODE_HIDDEN_FILE + row * DECODE_HIDDEN_ROWS);
}

/* A pass that a session has in work goes on with as many rows as it has. */
static void
make_plan(struct decode *d, struct k3_plan_ask *ask)
{
	struct k3_err err;

	if (k3_plan_make(&d->plan, &d->cfg, d->st, ask, &err) != 0)
		tool_die(&err);
	if (d->plan.chunk >= d->s.rows)
		return;
	ask->chunk = d->s.rows;
	if (k3_plan_make(&d->plan, &d->cfg, d->st, ask, &err) != 0)
		tool_die(&err);
}

void
decode_start(struct decode *d, size_t prompt)
{
	const struct tool_engine *e = &d->o->engine;
	bool touch = tool_memory_auto(e) && !d->o->plan;
	int fd = touch ? tool_memory_lock() : -1;
	uint64_t count = d->o->count;
	struct k3_plan_ask ask;
	struct k3_err err;

	if (!d->o->counted && d->s.count > count)
		count = d->s.count;
	tool_memory_ask(e, &d->cfg, prompt + d->s.n, count, &ask);
	ask.files += hidden_bytes(d) + decode_session_memory(d, ask.context);
	ask.lookahead = d->o->lookahead;
	make_plan(d, &ask);
	if (tool_memory_auto(e))
		tool_memory_tell(e, &d->plan);
	if (d->o->plan)
		return;
	d->row = k3_mem_alloc(d->cfg.vocab * sizeof(float), "logits", &err);
	if (d->row == NULL)
		tool_die(&err);
	tool_engine_open(e, d->st, &d->plan, touch, &d->model, &d->state);
	if (fd != -1)
		close(fd);
	if (decode_open_files(d, &err) != 0) {
		decode_abort_files(d);
		tool_die(&err);
	}
}
