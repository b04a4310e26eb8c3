/*
 * decode-start.c - memory, model and files, before the first prompt
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "tools/decode.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

static void
die(struct decode *d, const struct k3_err *err)
{
	tool_progress_clear(&d->progress);
	tool_die(err);
}

/* The folder of the packed trunk: as told, or trunk/ where there is one. */
static char *
packed(const struct decode_options *o, const char *model)
{
	struct stat sb;
	char *path;

	if (o->trunk != NULL)
		return strdup(o->trunk);
	if (asprintf(&path, "%s/trunk", model) == -1)
		return NULL;
	if (stat(path, &sb) == 0 && S_ISDIR(sb.st_mode))
		return path;
	free(path);
	return NULL;
}

/*
 * Only one process at a time looks at what is available and takes of it.  A
 * signal ends the wait, which may be long.
 */
static int
lock(void)
{
	struct k3_err err;
	int fd = k3_mem_lock(&err);

	if (fd == -1 && err.code == EX_TEMPFAIL)
		tool_note("waiting for another k3 to take its memory");
	while (fd == -1 && err.code == EX_TEMPFAIL) {
		if (tool_signal_stop())
			tool_signal_die();
		usleep(50000);
		fd = k3_mem_lock(&err);
	}
	if (fd == -1)
		tool_note("another k3 may count on the same memory: %s",
		    err.msg);
	return fd;
}

/* What was chosen, where it is not simply everything. */
static void
tell(const struct decode *d)
{
	const struct k3_plan *plan = &d->plan;
	bool capped = d->o->ram != UINT64_MAX;
	uint64_t all =
	    (uint64_t)(d->cfg.nlayer - d->cfg.ndense) * d->cfg.experts;

	if (d->o->verbose || plan->ring > 0 || k3_plan_cached(plan) < all)
		tool_note("of %.3g GB %s takes %.3g GB: %.0f %% of the "
			  "trunk, %u of %llu experts, chunks of %u tokens",
		    (double)(capped ? d->o->ram : k3_mem_available()) / 1e9,
		    capped ? "allowed" : "available", (double)plan->total / 1e9,
		    100.0 * (double)k3_plan_pinned(plan) /
			(double)k3_plan_matrices(plan),
		    k3_plan_cached(plan), (unsigned long long)all, plan->chunk);
	if (plan->item[K3_PLAN_PINS] > 0 && k3_mem_swap() > 0)
		tool_note("pinned memory may be swapped out: %.3g GB of swap "
			  "are free",
		    (double)k3_mem_swap() / 1e9);
}

static void
open_model(struct decode *d, const char *model, bool touch)
{
	struct k3_model_ask how = { .cpu = d->cpu,
		.touch = touch,
		.io = { .engine = d->io,
		    .timeout = (double)d->o->io_timeout } };
	char *trunk = packed(d->o, model), note[256];
	struct k3_err err;

	how.packed = trunk;
	d->row = k3_mem_alloc(d->cfg.vocab * sizeof(float), "logits", &err);
	if (d->row == NULL ||
	    (d->model = k3_model_open(d->st, &d->plan, &how, &err)) == NULL ||
	    k3_state_init(&d->state, &d->cfg, d->plan.ask.context, &err) != 0)
		die(d, &err);
	if (touch && k3_state_touch(&d->state, &err) != 0)
		die(d, &err);
	free(trunk);
	if (k3_io_note(k3_model_io(d->model), note, sizeof(note)))
		tool_note("%s", note);
}

void
decode_start(struct decode *d, const char *model, size_t prompt)
{
	bool touch = decode_auto(d->o) && !d->o->plan;
	int fd = touch ? lock() : -1;
	struct k3_plan_ask ask;
	struct k3_err err;

	decode_ask(d, prompt, &ask);
	if (k3_plan_make(&d->plan, &d->cfg, d->st, &ask, &err) != 0)
		die(d, &err);
	if (decode_auto(d->o))
		tell(d);
	if (d->o->plan)
		return;
	open_model(d, model, touch);
	if (fd != -1)
		close(fd);
	if (decode_open_files(d, &err) != 0) {
		decode_abort_files(d);
		die(d, &err);
	}
}
