/*
 * decode-run.c - feed a prompt and generate
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/clock.h"
#include "common/sample.h"
#include "tools/decode.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

/* Write an ID; a reader that has gone ends the run without a message. */
static int
put_id(struct decode *d, uint32_t id, struct k3_err *err)
{
	if (k3_ids_put(&d->out, id, err) == 0)
		return 0;
	d->closed = errno == EPIPE;
	return -1;
}

static int
end_ids(struct decode *d, struct k3_err *err)
{
	if (k3_ids_end(&d->out, err) == 0)
		return 0;
	d->closed = errno == EPIPE;
	return -1;
}

static uint64_t
bytes_read(const struct decode *d)
{
	return k3_model_trunk(d->model)->bytes +
	       k3_model_experts(d->model)->bytes;
}

static void
progress(struct decode *d, size_t tokens)
{
	d->progress.bytes = bytes_read(d) - d->read;
	tool_progress_add(&d->progress, tokens);
}

/* A part of the run begins, of so many tokens. */
static void
begin(struct decode *d, const char *what, uint64_t total, bool quiet)
{
	tool_progress_init(&d->progress, TOOL_TOKENS, total, quiet,
	    d->o->engine.verbose);
	d->progress.what = what;
	d->read = bytes_read(d);
}

/* A pass in half-layers, so that a signal need not wait for its end. */
static int
pass(struct decode *d, const struct k3_span *span, struct k3_err *err)
{
	int more;

	if (k3_pass_begin(d->model, span, 1, err) != 0)
		return -1;
	while ((more = k3_pass_half(d->model, err)) == 1) {
		if (tool_signal_stop())
			return k3_fail(err, EX_OK, "stopped");
		progress(d, 0);
	}
	return more == -1 ? -1 : k3_pass_end(d->model, err);
}

/* Run 'n' tokens; with 'last' choose the next ID, '*next', from the logits. */
static int
feed(struct decode *d, const uint32_t *ids, size_t n, bool last, uint32_t *next,
    struct k3_err *err)
{
	struct k3_span span = { &d->state, ids, (uint32_t)n, last, d->row };
	struct k3_report_pass note = { .kind = d->kind,
		.sequence = d->sequence,
		.position = d->state.pos,
		.ids = ids,
		.n = n };
	double start = k3_clock();

	if (pass(d, &span, err) != 0)
		return -1;
	progress(d, n);
	if (last) {
		*next = k3_argmax(d->row, d->cfg.vocab);
		note.logits = d->row;
		note.next = *next;
	}
	note.wall = k3_clock() - start;
	d->pass++;
	if (d->report.file.fp == NULL)
		return 0;
	return k3_report_pass(&d->report, &note, d->model, d->cfg.vocab, err);
}

static int
prefill(struct decode *d, const struct k3_ids_seq *prompt, uint32_t *next,
    struct k3_err *err)
{
	size_t chunk = d->plan.chunk;

	d->kind = 'p';
	begin(d, "prompt", prompt->n, d->o->quiet);
	d->progress.parts = (prompt->n + chunk - 1) / chunk;
	for (size_t i = 0; i < prompt->n; i += chunk) {
		size_t n = prompt->n - i < chunk ? prompt->n - i : chunk;
		bool last = i + n == prompt->n && d->o->count > 0;

		d->progress.part = i / chunk + 1;
		if (feed(d, prompt->id + i, n, last, next, err) != 0)
			return -1;
	}
	return 0;
}

static bool
stops(const struct decode *d, uint32_t id)
{
	for (size_t i = 0; i < d->nstop; i++)
		if (d->stop[i] == id)
			return true;
	return false;
}

/*
 * The stop ID is written and counted.  From here on IDs, or the text of them,
 * may go to the same terminal: no line there is written over.
 */
static int
generate(struct decode *d, uint32_t next, struct k3_err *err)
{
	uint32_t id;

	d->kind = 'd';
	tool_progress_clear(&d->progress);
	begin(d, "generating", d->o->count, true);
	for (uint64_t i = 1;; i++) {
		if (decode_put_logits(d, err) != 0 || put_id(d, next, err) != 0)
			return -1;
		if (i == d->o->count || stops(d, next))
			return 0;
		if (d->state.pos == d->state.context) {
			tool_note("sequence %" PRIu64
				  " has filled its context of %" PRIu32,
			    d->sequence + 1, d->state.context);
			return 0;
		}
		id = next;
		if (feed(d, &id, 1, true, &next, err) != 0)
			return -1;
	}
}

int
decode_sequence(struct decode *d, const struct k3_ids_seq *prompt,
    struct k3_err *err)
{
	bool look = d->o->hidden != NULL || d->o->route != NULL;
	uint32_t next = 0;

	k3_state_reset(&d->state);
	for (size_t i = 0; i < prompt->n && d->o->echo; i++)
		if (put_id(d, prompt->id[i], err) != 0)
			return -1;
	if (prompt->n > 0 && (d->o->count > 0 || look) &&
	    prefill(d, prompt, &next, err) != 0)
		return -1;
	d->hidden.whole = true;
	if (prompt->n > 0 && d->o->count > 0 && generate(d, next, err) != 0)
		return -1;
	d->sequence++;
	return end_ids(d, err);
}
