/*
 * route.h - what the parts of k3-route share
 */
#ifndef K3_TOOLS_ROUTE_H
#define K3_TOOLS_ROUTE_H

#include "tools/tool-engine.h"
#include "tools/tool-progress.h"

struct route {
	struct tool_engine engine;
	const char *input;  /* NULL: standard input */
	const char *hidden; /* folder, or NULL */
	uint32_t lookahead; /* with it: experts to guess, or 0 */
	bool reads, quiet;
	bool memory;  /* an option of memory or reading was given */
	bool compute; /* one of threads or the CPU was */
	struct k3_cfg cfg;
	struct k3_st *st;
	struct tool_progress progress;
};

/*
 * Each does what one synopsis says, and returns 0, or -1: failed, or asked to
 * stop by a signal, EX_OK.
 */
int route_ids(struct route *r, struct k3_err *err);
int route_hidden(struct route *r, struct k3_err *err);
int route_reads(struct route *r, struct k3_err *err);

/* Let whoever reads standard output have all of it so far. */
int route_flush(struct k3_err *err);

#endif
