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

/* Where a session was left in a pass, go on there. */
static int
enter(struct decode *d, const struct k3_span *span, struct k3_err *err)
{
	struct k3_held held;

	if (d->from == NULL)
		return k3_pass_begin(d->model, span, 1, err);
	if (k3_pass_resume(d->model, span, 1, d->s.half, &held, err) != 0 ||
	    k3_session_get_pass(d->from, &held, err) != 0)
		return -1;
	decode_loaded(d);
	return 0;
}

/* A pass in half-layers, so that a signal need not wait for its end. */
static int
pass(struct decode *d, const struct k3_span *span, struct k3_err *err)
{
	int more;

	if (enter(d, span, err) != 0)
		return -1;
	while ((more = k3_pass_half(d->model, err)) == 1) {
		if (tool_signal_stop())
			return k3_fail(err, EX_OK, "stopped");
		progress(d, 0);
		decode_autosave(d);
	}
	return more == -1 ? -1 : k3_pass_end(d->model, err);
}

/* Run the next 'n' IDs; the logits of the 'last' are wanted. */
static int
feed(struct decode *d, size_t n, bool last, struct k3_err *err)
{
	const uint32_t *ids = d->seq.id + d->state.pos;
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
	if (last && d->o->count > 0) {
		note.logits = d->row;
		note.next = k3_argmax(d->row, d->cfg.vocab);
	}
	note.wall = k3_clock() - start;
	d->pass++;
	if (d->report.file.fp == NULL)
		return 0;
	return k3_report_pass(&d->report, &note, d->model, d->cfg.vocab, err);
}

/*
 * Run all IDs that are still to be fed, the first of them perhaps as the rows
 * of a pass that a session had in work.
 */
static int
consume(struct decode *d, struct k3_err *err)
{
	bool logits = d->s.count > 0 || d->o->save != NULL;
	size_t chunk = d->plan.chunk, left = d->seq.n - d->state.pos;
	size_t first = d->from != NULL ? d->s.rows : 0;

	d->progress.parts = (first > 0) + (left - first + chunk - 1) / chunk;
	while (left > 0) {
		size_t n = left < chunk ? left : chunk;

		if (d->from != NULL)
			n = d->s.rows;
		d->progress.part++;
		if (feed(d, n, logits && n == left, err) != 0)
			return -1;
		left -= n;
	}
	return 0;
}

static int
prefill(struct decode *d, struct k3_err *err)
{
	d->kind = 'p';
	begin(d, "prompt", d->seq.n - d->state.pos, d->o->quiet);
	return consume(d, err);
}

static bool
stops(const struct decode *d, uint32_t id)
{
	for (size_t i = 0; i < d->nstop; i++)
		if (d->stop[i] == id)
			return true;
	return false;
}

/* Choose an ID from the logits, and write it. */
static int
choose(struct decode *d, struct k3_err *err)
{
	uint32_t id = k3_argmax(d->row, d->cfg.vocab);

	if (put_id(d, id, err) != 0)
		return -1;
	d->s.output = K3_SESSION_SOME;
	d->seq.id[d->seq.n++] = id;
	return decode_put_logits(d, err);
}

/* Is there no place for the ID that is to be fed? */
static bool
full(const struct decode *d)
{
	if (d->state.pos < d->state.context || d->state.pos == d->seq.n)
		return false;
	tool_note("sequence %" PRIu64 " has filled its context of %" PRIu32,
	    d->sequence + 1, d->state.context);
	return true;
}

/*
 * The stop ID is written and counted.  From here on IDs, or the text of them,
 * may go to the same terminal: no line there is written over.
 */
static int
generate(struct decode *d, struct k3_err *err)
{
	uint64_t done = d->seq.n - d->s.prompt;

	d->kind = 'd';
	tool_progress_clear(&d->progress);
	begin(d, "generating", d->s.count - done, true);
	/* States have moved on in half of a pass: it is ended in any case. */
	if (d->from != NULL && consume(d, err) != 0)
		return -1;
	for (;; done++) {
		if (done == d->s.count ||
		    (done > 0 && stops(d, d->seq.id[d->seq.n - 1])))
			return 0;
		if (full(d))
			return 0;
		if (consume(d, err) != 0 || choose(d, err) != 0)
			return -1;
	}
}

/* What was written of the line stays open where the session goes on with it. */
static int
run_line(struct decode *d, struct k3_err *err)
{
	const struct decode_options *o = d->o;
	bool look = o->hidden != NULL || o->route != NULL || o->save != NULL ||
		    d->from != NULL;

	for (size_t i = 0; i < d->seq.n && o->echo; i++)
		if (put_id(d, d->seq.id[i], err) != 0)
			return -1;
	if (d->over || full(d))
		return 0;
	if (d->out.open)
		d->s.output = K3_SESSION_SOME;
	if (d->seq.n == d->s.prompt && (d->s.count > 0 || look) &&
	    prefill(d, err) != 0)
		return -1;
	d->hidden.whole = true;
	return generate(d, err);
}

int
decode_sequence(struct decode *d, struct k3_err *err)
{
	if (!d->empty && run_line(d, err) != 0)
		return -1;
	d->hidden.whole = true;
	if (!(d->over && d->alone && !d->o->echo) && end_ids(d, err) != 0)
		return -1;
	if (!d->empty)
		d->s.output = K3_SESSION_ENDED;
	d->over = false;
	d->sequence++;
	if (d->o->save == NULL)
		k3_ids_seq_fini(&d->seq);
	return 0;
}
