/*
 * route-ids.c - the routes of prompts
 */
#include <stdlib.h>
#include <unistd.h>

#include "common/routes.h"
#include "tools/route.h"
#include "tools/tool-input.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

struct run {
	struct route *r;
	struct k3_plan plan;
	struct k3_model *model;
	struct k3_state state;
	uint64_t pass, sequence; /* in work, from 0 */
	uint64_t read;           /* bytes, when the prompt began */
};

static int
put(void *arg, unsigned layer, const struct k3_span *span, size_t nspan,
    const uint32_t *pick, const float *weight, struct k3_err *err)
{
	struct run *run = arg;
	struct k3_route first = { .pass = run->pass,
		.sequence = run->sequence,
		.position = span->state->pos,
		.kind = 'p',
		.layer = layer,
		.n = run->r->cfg.topk,
		.expert = pick,
		.weight = weight };

	(void)nspan;
	tool_progress_clear(&run->r->progress);
	return k3_routes_put_rows(stdout, &first, span->n, "<stdout>", err);
}

/* Memory and model, for a first prompt of so many IDs. */
static int
start(struct run *run, uint64_t prompt, struct k3_err *err)
{
	const struct tool_engine *e = &run->r->engine;
	bool touch = tool_memory_auto(e);
	int fd = touch ? tool_memory_lock() : -1;
	struct k3_watch watch = { .arg = run, .routes = put };
	struct k3_plan_ask ask;

	tool_engine_digests(&run->r->engine, &run->r->cfg, run->r->st, false);
	tool_memory_ask(e, &run->r->cfg, prompt, 0, &ask);
	ask.no_logits = true;
	if (k3_plan_make(&run->plan, &run->r->cfg, run->r->st, &ask, err) != 0)
		return -1;
	if (touch)
		tool_memory_tell(e, &run->plan);
	tool_engine_open(e, run->r->st, &run->plan, touch, &run->model,
	    &run->state);
	if (fd != -1)
		close(fd);
	k3_model_watch(run->model, &watch);
	return k3_routes_head(stdout, &run->r->cfg, "<stdout>", err);
}

static uint64_t
bytes_read(const struct run *run)
{
	return k3_model_trunk(run->model)->bytes +
	       k3_model_experts(run->model)->bytes;
}

static void
progress(struct run *run, size_t tokens)
{
	run->r->progress.bytes = bytes_read(run) - run->read;
	tool_progress_add(&run->r->progress, tokens);
}

/* A pass in half-layers, so that a signal need not wait for its end. */
static int
pass(struct run *run, const struct k3_span *span, struct k3_err *err)
{
	int more;

	if (k3_pass_begin(run->model, span, 1, err) != 0)
		return -1;
	while ((more = k3_pass_half(run->model, err)) == 1) {
		if (tool_signal_stop())
			return k3_fail(err, EX_OK, "stopped");
		progress(run, 0);
	}
	if (more == -1 || k3_pass_end(run->model, err) != 0)
		return -1;
	run->pass++;
	progress(run, span->n);
	return route_flush(err);
}

static int
sequence(struct run *run, const struct k3_ids_seq *prompt, struct k3_err *err)
{
	struct tool_progress *p = &run->r->progress;
	size_t chunk = run->plan.chunk;

	tool_progress_init(p, TOOL_TOKENS, prompt->n, run->r->quiet,
	    run->r->engine.verbose);
	p->what = "prompt";
	p->parts = (prompt->n + chunk - 1) / chunk;
	run->read = bytes_read(run);
	k3_state_reset(&run->state);
	for (size_t i = 0; i < prompt->n; i += chunk) {
		size_t n = prompt->n - i < chunk ? prompt->n - i : chunk;
		struct k3_span span = { .state = &run->state,
			.ids = prompt->id + i,
			.n = (uint32_t)n };

		p->part = i / chunk + 1;
		if (pass(run, &span, err) != 0)
			return -1;
	}
	run->sequence++;
	return 0;
}

/* All sequences of the input; the plan is made when the first is known. */
int
route_ids(struct route *r, struct k3_err *err)
{
	struct k3_ids *in = tool_input_open(r->input, &r->cfg);
	static struct run run; /* its model is there to the end */
	struct k3_ids_seq seq = { 0 };
	bool started = false;
	int got;

	run.r = r;
	while ((got = tool_input_next(in, &seq,
		    started ? run.state.context : r->engine.context, &r->cfg,
		    err)) == 1) {
		if (!started)
			got = start(&run, seq.n, err);
		started = true;
		if (got == -1 ||
		    tool_input_fits(in, &seq, run.state.context, err) != 0 ||
		    sequence(&run, &seq, err) != 0) {
			got = -1;
			break;
		}
	}
	if (got == 0 && !started)
		got = start(&run, 0, err);
	k3_ids_seq_fini(&seq);
	free(in);
	return got;
}
