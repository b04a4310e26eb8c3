/*
 * verify-found.c - what is wrong, told and counted
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify.h"

void
verify_found(struct verify *v, const struct k3_err *err)
{
	tool_progress_clear(&v->progress);
	if (err->code == EX_OSERR)
		verify_die(v, err);
	if (err->code != EX_DATAERR && err->code != EX_NOINPUT) {
		tool_warn(err);
		v->unread++;
		v->status = err->code;
		return;
	}
	v->found++;
	puts(err->msg);
}

int
verify_status(const struct verify *v)
{
	int status = tool_finish();

	if (status == EX_OK)
		status = v->status != 0 ? v->status : v->found > 0;
	return status;
}

noreturn void
verify_die(struct verify *v, const struct k3_err *err)
{
	tool_progress_clear(&v->progress);
	fflush(stdout);
	if (tool_signal_stop())
		tool_signal_die();
	tool_die(err);
}

char *
verify_join(struct verify *v, const char *dir, const char *name)
{
	struct k3_err err;
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) != -1)
		return path;
	k3_fail(&err, EX_OSERR, "cannot allocate a path");
	verify_die(v, &err);
}
