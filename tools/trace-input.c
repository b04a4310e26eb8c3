/*
 * trace-input.c - the operands of a verb as one stream of routes
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/tool.h"
#include "tools/trace-input.h"

static void
close_file(struct trace_input *in)
{
	k3_routes_close(in->routes);
	in->routes = NULL;
	if (in->fp != NULL && in->fp != stdin)
		fclose(in->fp);
	in->fp = NULL;
}

static int
check_shape(struct trace_input *in, struct k3_err *err)
{
	const struct k3_routes_shape *shape = k3_routes_shape(in->routes);

	if (in->first == NULL) {
		in->shape = *shape;
		in->first = in->name;
	}
	return k3_routes_same_shape(in->name, shape, in->first, &in->shape,
	    err);
}

static int
open_file(struct trace_input *in, const char *file, struct k3_err *err)
{
	bool standard = strcmp(file, "-") == 0;

	in->name = standard ? "<stdin>" : file;
	in->fp = standard ? stdin : fopen(file, "r");
	if (in->fp == NULL)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", file);
	in->pass = in->passes;
	in->sequence = in->sequences;
	in->bytes = 0;
	in->routes = k3_routes_open(in->fp, in->name, err);
	if (in->routes == NULL || check_shape(in, err) != 0) {
		close_file(in);
		return -1;
	}
	return 0;
}

/* Bytes of all files, or 0: nobody knows what a pipe will bring. */
static uint64_t
size(char *const file[], int n)
{
	uint64_t sum = 0;
	struct stat sb;

	for (int i = 0; i < n || i == 0; i++) {
		bool standard = n == 0 || strcmp(file[i], "-") == 0;

		if ((standard ? fstat(0, &sb) : stat(file[i], &sb)) != 0 ||
		    !S_ISREG(sb.st_mode))
			return 0;
		sum += (uint64_t)sb.st_size;
	}
	return sum;
}

int
trace_input_open(struct trace_input *in, char *const file[], int n,
    struct k3_err *err)
{
	*in = (struct trace_input){ .file = file, .end = file + n };
	in->size = size(file, n);
	return open_file(in, n == 0 ? "-" : *in->file++, err);
}

void
trace_input_watch(struct trace_input *in, bool quiet, bool verbose)
{
	struct tool_progress *p = &in->progress;

	tool_progress_init(p, TOOL_BYTES, in->size, quiet, verbose);
	p->what = "routes";
	p->endless = in->size == 0;
}

void
trace_input_die(struct trace_input *in, const struct k3_err *err)
{
	tool_progress_clear(&in->progress);
	tool_die(err);
}

static void
tell(struct trace_input *in)
{
	uint64_t bytes = k3_routes_bytes(in->routes);

	tool_progress_add(&in->progress, bytes - in->bytes);
	in->bytes = bytes;
}

/* Number the line on; 'next' is what comes after all numbers so far. */
static int
number(struct trace_input *in, const char *what, uint64_t add, uint64_t *v,
    uint64_t *next, struct k3_err *err)
{
	*v += add;
	if (*v >= K3_ROUTES_MAX)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %" PRIu64 ": %s %" PRIu64 " is above %" PRIu64
		    " after the files before",
		    in->name, k3_routes_line(in->routes), what, *v,
		    K3_ROUTES_MAX - 1);
	if (*v >= *next)
		*next = *v + 1;
	return 0;
}

int
trace_input_next(struct trace_input *in, struct k3_route *route,
    struct k3_err *err)
{
	int got;

	while ((got = k3_routes_next(in->routes, route, err)) == 0) {
		if (in->file == in->end)
			return 0;
		close_file(in);
		if (open_file(in, *in->file++, err) != 0)
			return -1;
	}
	if (got == 1 && (number(in, "pass", in->pass, &route->pass, &in->passes,
			     err) != 0 ||
			    number(in, "sequence", in->sequence,
				&route->sequence, &in->sequences, err) != 0))
		return -1;
	if (got == 1 && in->progress.what != NULL)
		tell(in);
	return got;
}

void
trace_input_close(struct trace_input *in)
{
	tool_progress_clear(&in->progress);
	close_file(in);
}
