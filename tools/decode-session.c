/*
 * decode-session.c - the sequence in work, kept as a file and gone on with
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/pack.h"
#include "tools/decode.h"
#include "tools/tool-input.h"
#include "tools/tool.h"

uint64_t
decode_session_memory(const struct decode *d, uint32_t context)
{
	if (d->o->save == NULL && d->o->load == NULL)
		return 0;
	/* A line's IDs beside those of the one before. */
	return k3_session_memory(&d->cfg) +
	       sizeof(uint32_t) * (uint64_t)context;
}

/* A file that cannot be created is better known before the first pass. */
static int
probe(const char *path, struct k3_err *err)
{
	struct k3_file file;
	struct stat sb;

	/* Who reads a FIFO would see it end. */
	if (stat(path, &sb) == 0 && S_ISFIFO(sb.st_mode))
		return 0;
	if (k3_file_create(&file, path, K3_FILE_PRIVATE, err) != 0)
		return -1;
	k3_file_abort(&file);
	return 0;
}

int
decode_session_open(struct decode *d, struct k3_err *err)
{
	const struct decode_options *o = d->o;

	d->saved = k3_clock();
	if (o->save == NULL && o->load == NULL)
		return 0;
	if ((o->save != NULL && probe(o->save, err) != 0) ||
	    k3_fingerprint(&d->cfg, d->st, d->print, err) != 0)
		return -1;
	if (o->load == NULL)
		return 0;
	d->from = k3_session_open(o->load, &d->cfg, d->print, &d->s, err);
	d->sequence = d->s.line;
	return d->from == NULL ? -1 : 0;
}

/* Room for 'n' IDs and as many as may follow them, and one with no place. */
static int
reserve(struct decode *d, struct k3_ids_seq *seq, uint64_t n,
    struct k3_err *err)
{
	uint64_t cap = n + d->s.count, most = d->state.context;
	uint32_t *id;

	cap = (cap < most ? cap : most) + 1;
	if (cap < n)
		cap = n;
	if (cap <= seq->cap)
		return 0;
	id = realloc(seq->id, cap * sizeof(*id));
	if (id == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'ids': out of memory");
	seq->id = id;
	seq->cap = cap;
	return 0;
}

/*
 * How a session goes on: with the IDs of a line, as its next turn; without,
 * to the end of the line that it was in, or beyond if that was ended and more
 * is asked for.
 */
static void
go_on(struct decode *d, size_t given)
{
	struct k3_session *s = &d->s;
	bool ended = s->output == K3_SESSION_ENDED;

	d->over = ended && given == 0 && !d->o->counted;
	if (d->over)
		return;
	if (given > 0 || ended) {
		s->prompt = s->n + (uint32_t)given;
		s->count = (uint32_t)d->o->count;
		s->output = K3_SESSION_NOTHING;
	} else if (d->o->counted) {
		s->count = (uint32_t)d->o->count;
	}
	if (s->count < s->n - s->prompt && given == 0)
		s->count = s->n - s->prompt;
}

static int
too_long(const struct decode *d, size_t given, struct k3_err *err)
{
	return k3_fail(err, EX_UNAVAILABLE,
	    "'%s': its %" PRIu32 " IDs and %zu more do not fit the planned "
	    "context of %" PRIu32 " (--context)",
	    d->o->load, d->s.n, given, d->state.context);
}

/* The last ID that was generated needs no place until something follows. */
static int
load(struct decode *d, const struct k3_ids_seq *line, struct k3_err *err)
{
	uint64_t n = (uint64_t)d->s.n + line->n;
	bool resting = line->n == 0 && d->s.position + 1 == d->s.n;

	if (n > (uint64_t)d->state.context + resting)
		return too_long(d, line->n, err);
	go_on(d, line->n);
	if (reserve(d, &d->seq, n, err) != 0 ||
	    k3_session_get_ids(d->from, d->seq.id, err) != 0 ||
	    k3_session_get_state(d->from, &d->state, err) != 0 ||
	    (d->s.n > 0 && d->s.position == d->s.n &&
		k3_session_get_logits(d->from, d->row, err) != 0))
		return -1;
	for (size_t i = 0; i < line->n; i++)
		d->seq.id[d->s.n + i] = line->id[i];
	d->seq.n = n;
	d->out.open = d->s.output == K3_SESSION_SOME && !d->o->echo;
	return 0;
}

void
decode_loaded(struct decode *d)
{
	k3_session_close(d->from);
	d->from = NULL;
	d->s.rows = d->s.half = 0;
}

int
decode_take(struct decode *d, const struct k3_ids *in, struct k3_ids_seq *line,
    struct k3_err *err)
{
	static const struct k3_ids_seq none;

	d->empty = line->n == 0;
	if (d->from != NULL) {
		d->empty = d->empty && d->s.n == 0;
		if (load(d, line, err) != 0)
			return -1;
		if (d->s.rows == 0)
			decode_loaded(d);
		return 0;
	}
	if (d->empty)
		return 0;
	if (tool_input_fits(in, line, d->state.context, err) != 0)
		return -1;
	k3_ids_seq_fini(&d->seq);
	d->seq = *line;
	*line = none;
	d->s.line = d->sequence;
	d->s.prompt = (uint32_t)d->seq.n;
	d->s.count = (uint32_t)d->o->count;
	d->s.output = K3_SESSION_NOTHING;
	k3_state_reset(&d->state);
	return reserve(d, &d->seq, d->seq.n, err);
}

int
decode_save(struct decode *d, struct k3_err *err)
{
	struct k3_held held;
	struct k3_session_parts parts = { &d->cfg, d->print, d->seq.id,
		&d->state, &held, d->row };
	double start = k3_clock();
	struct k3_err why;
	uint64_t bytes;

	if (k3_pass_hold(d->model, &held, &why) != 0)
		return k3_fail(err, why.code,
		    "cannot save '%s', which is left as it was: %s", d->o->save,
		    why.msg);
	d->s.n = (uint32_t)d->seq.n;
	d->s.position = d->state.pos;
	d->s.rows = (uint32_t)held.rows;
	d->s.half = held.half;
	if (k3_session_save(d->o->save, &d->s, &parts, &bytes, err) != 0)
		return -1;
	if (d->o->engine.verbose)
		tool_note("saved '%s': %.3g MB in %.2g s", d->o->save,
		    (double)bytes / 1e6, k3_clock() - start);
	d->saved = k3_clock();
	return 0;
}

/* One that fails is told, and does not end the run: the file is as it was. */
void
decode_autosave(struct decode *d)
{
	struct k3_err err;

	if (d->o->autosave == 0 || k3_clock() - d->saved < d->o->autosave)
		return;
	tool_progress_clear(&d->progress);
	if (decode_save(d, &err) != 0)
		tool_warn(&err);
	d->saved = k3_clock();
}
