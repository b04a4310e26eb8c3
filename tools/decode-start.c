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

void
decode_start(struct decode *d, size_t prompt)
{
	const struct tool_engine *e = &d->o->engine;
	bool touch = tool_memory_auto(e) && !d->o->plan;
	int fd = touch ? tool_memory_lock() : -1;
	struct k3_plan_ask ask;
	struct k3_err err;

	tool_memory_ask(e, &d->cfg, prompt, d->o->count, &ask);
	ask.files += hidden_bytes(d);
	ask.lookahead = d->o->lookahead;
	if (k3_plan_make(&d->plan, &d->cfg, d->st, &ask, &err) != 0)
		tool_die(&err);
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
