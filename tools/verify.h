/*
 * verify.h - the verbs of k3-verify, a file each, and what they share
 *
 * What is found to be wrong is the result: a line on standard output, and the
 * status is 1.  What cannot be looked at is an error, and ends the tool, or is
 * told on standard error and decides the status.
 */
#ifndef K3_TOOLS_VERIFY_H
#define K3_TOOLS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "common/err.h"
#include "tools/tool-progress.h"

/* verify-checkpoint.c, verify-trunk.c */
int verify_checkpoint(int argc, char *argv[]);
int verify_trunk(int argc, char *argv[]);

struct verify {
	const char *model;
	unsigned threads;
	bool quiet, verbose;
	uint64_t found; /* lines of what is wrong */
	int status;     /* of what could not be looked at, or 0 */
	struct tool_progress progress;
};

/*
 * verify-found.c: 'err' says what is wrong with the data, or that something
 * could not be looked at, and the work goes on.  Ends it where memory is short.
 */
void verify_found(struct verify *v, const struct k3_err *err);

/* The exit status; closes standard output. */
int verify_status(const struct verify *v);

/* Die, by the signal if there was one. */
noreturn void verify_die(struct verify *v, const struct k3_err *err);

/* DIR/NAME, to be freed. */
char *verify_join(struct verify *v, const char *dir, const char *name);

#endif
