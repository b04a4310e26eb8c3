/*
 * trace-input.h - the operands of a verb as one stream of routes
 *
 * Files follow each other as runs do: passes and sequences are numbered on, so
 * that passes rise and no sequence goes on in another file.
 */
#ifndef K3_TOOLS_TRACE_INPUT_H
#define K3_TOOLS_TRACE_INPUT_H

#include "common/routes.h"

struct trace_input {
	struct k3_routes_shape shape; /* of all files */
	const char *name;             /* of the file being read */
	struct k3_routes *routes;     /* its reader: for line and pairs */

	/* The rest is its own. */
	char *const *file, *const *end; /* to be opened */
	const char *first;              /* the file that gave the shape */
	FILE *fp;
	uint64_t pass, sequence;    /* added to those of the file */
	uint64_t passes, sequences; /* above all returned */
};

/*
 * Begin with 'n' files, of which "-" is standard input, as is n == 0.  0, or
 * -1 with nothing to close: EX_NOINPUT, or what the reader says.
 */
int trace_input_open(struct trace_input *in, char *const file[], int n,
    struct k3_err *err);

/* As k3_routes_next(); a file of another shape is EX_DATAERR with both names.
 */
int trace_input_next(struct trace_input *in, struct k3_route *route,
    struct k3_err *err);

void trace_input_close(struct trace_input *in);

#endif
