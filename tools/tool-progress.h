/*
 * tool-progress.h - what, how far, at which rate, and how long still
 *
 * On standard error: one line that is written over while that is a terminal;
 * otherwise a line every few minutes if verbose; one on SIGUSR1 always.
 */
#ifndef K3_TOOLS_TOOL_PROGRESS_H
#define K3_TOOLS_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tool_unit {
	TOOL_BYTES,
	TOOL_TOKENS,
	TOOL_MILLISECONDS,
};

struct tool_progress {
	const char *what;    /* "packing 007.k3l"; may change */
	enum tool_unit unit; /* of what follows */
	uint64_t done, total;
	bool endless;         /* the total is not known: no time left either */
	uint64_t part, parts; /* "chunk 2 of 5"; 0: none are told */
	uint64_t bytes;       /* read so far; 0: no rate of them is told */
	bool live, verbose;   /* from the options and the terminal */
	bool shown;           /* a line that is not ended stands there */
	double start, next;   /* seconds of a monotonic clock */
};

void tool_progress_init(struct tool_progress *p, enum tool_unit unit,
    uint64_t total, bool quiet, bool verbose);

/* So many more are done; says so when it is time.  0 only looks at that. */
void tool_progress_add(struct tool_progress *p, uint64_t n);

/* Take the line away, before something else is written or at the end. */
void tool_progress_clear(struct tool_progress *p);

#endif
