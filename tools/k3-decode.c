/*
 * k3-decode.c - token IDs in, the model's continuation out
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tools/decode.h"
#include "tools/tool-index.h"
#include "tools/tool-input.h"
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

/* One line: what fails first is told, and what it may have led to is not. */
static void
fail(int *status, const struct k3_err *err)
{
	if (*status != EX_OK)
		return;
	tool_warn(err);
	*status = err->code;
}

/*
 * End: put the files into place, also where the run ends early, since what
 * they hold is right.  Then die by the signal, if one came.
 */
static int
finish(struct decode *d, int got, struct k3_err *err)
{
	struct k3_err late;
	int status = EX_OK;

	tool_progress_clear(&d->progress);
	if (got < 0 && err->code != EX_OK && !d->closed)
		fail(&status, err);
	/* A session that was not gone on with yet is where it was. */
	if (d->model != NULL && d->from == NULL && d->o->save != NULL &&
	    decode_save(d, &late) != 0) {
		if (status != EX_OK)
			tool_note("%s", late.msg);
		fail(&status, &late);
	}
	if (decode_commit_files(d, &late) != 0)
		fail(&status, &late);
	decode_abort_files(d);
	if (tool_signal_stop())
		tool_signal_die();
	if (d->closed) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return status != EX_OK ? status : tool_finish();
}

/* All sequences of the input; the plan is made when the first is known. */
static int
run(struct decode *d)
{
	struct k3_ids *in = tool_input_open(d->o->input, &d->cfg);
	struct k3_ids_seq line = { 0 };
	bool started = false;
	struct k3_err err;
	int got;

	/* Without input a session goes on by itself. */
	while ((got = tool_input_next(in, &line,
		    started ? d->state.context : d->o->engine.context, &d->cfg,
		    &err)) == 1 ||
	       (got == 0 && !started && d->s.n > 0)) {
		d->alone = got == 0;
		if (!started)
			decode_start(d, line.n);
		started = true;
		got = decode_take(d, in, &line, &err);
		if (got == 0)
			got = decode_sequence(d, &err);
		if (got != 0)
			break;
	}
	k3_ids_seq_fini(&line);
	free(in);
	if (!started && got == 0)
		decode_start(d, 0);
	if (!started && got < 0 && !tool_signal_stop())
		tool_die(&err);
	return finish(d, got, &err);
}

int
main(int argc, char *argv[])
{
	static struct decode d;
	static struct decode_options o;
	struct k3_err err;

	tool_init(argv[0]);
	decode_options(&o, argc, argv);
	d.o = &o;
	tool_engine_config(&o.engine, &d.cfg);
	d.st = o.plan ? tool_index(o.engine.dir, &d.cfg)
		      : k3_st_open(o.engine.dir, &d.cfg, &err);
	if (d.st == NULL)
		tool_die(&err);
	tool_engine_digests(&o.engine, &d.cfg, d.st, o.plan);
	parse_stop(&d);
	if (!o.plan && decode_session_open(&d, &err) != 0)
		tool_die(&err);
	d.out.fp = stdout;
	d.out.name = "<stdout>";
	d.out.flush = true;
	if (o.plan) {
		decode_start(&d, o.prompt);
		decode_show_plan(&d);
		return tool_finish();
	}
	tool_signal_init();
	if (o.logits != NULL || o.route != NULL || o.hidden != NULL ||
	    o.report != NULL || o.save != NULL)
		signal(SIGPIPE, SIG_IGN);
	return run(&d);
}
