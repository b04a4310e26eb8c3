/*
 * trace-input.h - the operands of a verb as one stream of routes
 *
 * Files follow each other as runs do: passes and sequences are numbered on, so
 * that passes rise and no sequence goes on in another file.
 */
#ifndef K3_TOOLS_TRACE_INPUT_H
#define K3_TOOLS_TRACE_INPUT_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "common/routes.h"
#include "tools/tool-progress.h"

struct trace_input {
	struct k3_routes_shape shape; /* of all files */
	const char *name;             /* of the file being read */
	struct k3_routes *routes;     /* its reader: for line and pairs */

	/* The rest is its own. */
	char *const *file, *const *end; /* to be opened */
	uint64_t size;                  /* bytes of all files; 0: not known */
	const char *first;              /* the file that gave the shape */
	FILE *fp;
	uint64_t bytes; /* of the file, of which progress knows */
	struct tool_progress progress;
	uint64_t pass, sequence;    /* added to those of the file */
	uint64_t passes, sequences; /* above all returned */
};

/*
 * Begin with 'n' files, of which "-" is standard input, as is n == 0.  0, or
 * -1 with nothing to close: EX_NOINPUT, or what the reader says.
 */
int trace_input_open(struct trace_input *in, char *const file[], int n,
    struct k3_err *err);

/* Tell from now on how many bytes of how many are read. */
void trace_input_watch(struct trace_input *in, bool quiet, bool verbose);

/* As k3_routes_next(); a file of another shape is EX_DATAERR with both names.
 */
int trace_input_next(struct trace_input *in, struct k3_route *route,
    struct k3_err *err);

/* tool_die(), with no progress before its message. */
noreturn void trace_input_die(struct trace_input *in, const struct k3_err *err);

void trace_input_close(struct trace_input *in);

#endif
