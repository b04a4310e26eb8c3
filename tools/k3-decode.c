/*
 * k3-decode.c - token IDs in, the model's continuation out
 */
#include <inttypes.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cpu.h"
#include "common/mem.h"
#include "tools/decode.h"
#include "tools/tool-index.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

/* --stop: IDs, or "none"; without it the model's eos. */
static void
parse_stop(struct decode *d)
{
	struct k3_ids_seq seq = { 0 };
	struct k3_ids *ids;
	struct k3_err err;
	int got;

	if (d->o->stop != NULL && strcmp(d->o->stop, "none") == 0)
		return;
	if (d->o->stop == NULL) {
		d->stop = &d->cfg.eos;
		d->nstop = 1;
		return;
	}
	ids = malloc(sizeof(*ids));
	if (ids == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'ids': out of memory");
		tool_die(&err);
	}
	k3_ids_init_mem(ids, d->o->stop, strlen(d->o->stop), "--stop",
	    d->cfg.vocab);
	got = k3_ids_line(ids, &seq, 1024, &err);
	if (got == 1 && ids->p < ids->end)
		got = k3_fail(&err, EX_USAGE,
		    "'--stop': IDs of more than one line");
	if (got < 0) {
		err.code = EX_USAGE;
		tool_die(&err);
	}
	free(ids);
	d->stop = seq.id;
	d->nstop = seq.n;
}

/*
 * Before a read that may wait: what a signal asks for must not wait too.  The
 * time-out covers a signal that arrives just before poll().
 */
static int
await(void *arg, struct k3_err *err)
{
	const struct k3_ids *in = arg;
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	while (!tool_signal_stop())
		if (poll(&p, 1, 200) != 0)
			if (p.revents != 0)
				return 0;
	return k3_fail(err, EX_OK, "stopped");
}

static struct k3_ids *
open_input(const struct decode *d)
{
	const char *path = d->o->input;
	struct k3_ids *in = malloc(sizeof(*in));
	struct k3_err err;
	int fd = STDIN_FILENO;

	if (in == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'ids': out of memory");
		tool_die(&err);
	}
	if (path != NULL && strcmp(path, "-") != 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd == -1) {
			k3_fail_errno(&err, EX_NOINPUT, "cannot open '%s'",
			    path);
			tool_die(&err);
		}
	} else {
		path = "<stdin>";
	}
	k3_ids_init(in, fd, path, d->cfg.vocab);
	in->wait = await;
	in->arg = in;
	return in;
}

/*
 * End: put the files into place, also where the run ends early, since what
 * they hold is right.  Then die by the signal, if one came.
 */
static int
finish(struct decode *d, int got, struct k3_err *err)
{
	struct k3_err late;
	int status =
	    got < 0 && err->code != EX_OK && !d->closed ? err->code : EX_OK;

	tool_progress_clear(&d->progress);
	if (status != EX_OK)
		tool_warn(err);
	if (decode_commit_files(d, &late) != 0) {
		/* A file that ended the run is not told of twice. */
		if (status == EX_OK || strcmp(late.msg, err->msg) != 0)
			tool_warn(&late);
		status = status != EX_OK ? status : late.code;
	}
	decode_abort_files(d);
	if (tool_signal_stop())
		tool_signal_die();
	if (d->closed) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return status != EX_OK ? status : tool_finish();
}

/*
 * IDs that a line can have: one more than will fit, so that the line is
 * refused as such, is enough to hold in memory.
 */
static size_t
longest(const struct decode *d)
{
	size_t context =
	    d->state.context != 0 ? d->state.context : d->o->context;

	return context != 0 && context < d->cfg.max_pos ? context + 1
							: d->cfg.max_pos;
}

/* All sequences of the input; the plan is made when the first is known. */
static int
run(struct decode *d, const char *model)
{
	struct k3_ids *in = open_input(d);
	struct k3_ids_seq seq = { 0 };
	bool started = false;
	struct k3_err err;
	int got;

	while ((got = k3_ids_line(in, &seq, longest(d), &err)) == 1) {
		if (!started)
			decode_start(d, model, seq.n);
		started = true;
		if (seq.n > d->state.context)
			got = k3_fail(&err, EX_UNAVAILABLE,
			    "'%s' line %" PRIu64
			    ": more IDs than the planned context of %" PRIu32
			    " (--context)",
			    in->name, in->line, d->state.context);
		else
			got = decode_sequence(d, &seq, &err);
		if (got != 0)
			break;
	}
	k3_ids_seq_fini(&seq);
	free(in);
	if (!started && got == 0)
		decode_start(d, model, 0);
	if (!started && got < 0 && !tool_signal_stop())
		tool_die(&err);
	return finish(d, got, &err);
}

int
main(int argc, char *argv[])
{
	static struct decode d;
	static struct decode_options o;
	const char *model;
	struct k3_err err;

	tool_init(argv[0]);
	decode_options(&o, argc, argv);
	d.o = &o;
	d.cpu = k3_cpu_best();
	if (o.cpu != NULL && k3_cpu_parse(o.cpu, &d.cpu, &err) != 0)
		tool_die(&err);
	if (o.io != NULL && (d.io = k3_io_engine(o.io, &err)) == NULL)
		tool_die(&err);
	/* Who asks for this level by name knows. */
	if (o.cpu == NULL && k3_cpu_plain(d.cpu))
		tool_note("this CPU lacks AVX2: plain C computes, many times "
			  "as slow");
	model = tool_model(o.model);
	if (k3_cfg_load(&d.cfg, model, &err) != 0)
		tool_die(&err);
	d.st = o.plan ? tool_index(model, &d.cfg)
		      : k3_st_open(model, &d.cfg, &err);
	if (d.st == NULL)
		tool_die(&err);
	parse_stop(&d);
	d.out.fp = stdout;
	d.out.name = "<stdout>";
	d.out.flush = true;
	if (o.plan) {
		decode_start(&d, model, o.prompt);
		decode_show_plan(&d);
		return tool_finish();
	}
	tool_signal_init();
	if (o.logits != NULL || o.route != NULL || o.hidden != NULL ||
	    o.report != NULL)
		signal(SIGPIPE, SIG_IGN);
	return run(&d, model);
}
