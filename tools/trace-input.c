/*
 * trace-input.c - the operands of a verb as one stream of routes
 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

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
	const struct k3_routes_shape *a = &in->shape,
				     *b = k3_routes_shape(in->routes);

	if (in->first == NULL) {
		in->shape = *b;
		in->first = in->name;
	}
	if (a->layers == b->layers && a->experts == b->experts &&
	    a->topk == b->topk)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s' line 1: layers=%" PRIu32 " experts=%" PRIu32 " topk=%" PRIu32
	    ", but '%s' has layers=%" PRIu32 " experts=%" PRIu32
	    " topk=%" PRIu32,
	    in->name, b->layers, b->experts, b->topk, in->first, a->layers,
	    a->experts, a->topk);
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
	in->routes = k3_routes_open(in->fp, in->name, err);
	if (in->routes == NULL || check_shape(in, err) != 0) {
		close_file(in);
		return -1;
	}
	return 0;
}

int
trace_input_open(struct trace_input *in, char *const file[], int n,
    struct k3_err *err)
{
	*in = (struct trace_input){ .file = file, .end = file + n };
	return open_file(in, n == 0 ? "-" : *in->file++, err);
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
	return got;
}

void
trace_input_close(struct trace_input *in)
{
	close_file(in);
}
