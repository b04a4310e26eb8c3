/*
 * trace-split.h - what the parts of k3-trace split share
 */
#ifndef K3_TOOLS_TRACE_SPLIT_H
#define K3_TOOLS_TRACE_SPLIT_H

#include "common/json.h"
#include "common/predict.h"

struct split_options {
	const char *model;
	uint64_t *ram; /* budgets, [nram] */
	size_t nram;
	struct k3_speed speed;
	double count, prompt; /* tokens */
	uint32_t context;     /* 0: not given */
	unsigned threads;
	bool json;
};

/* A division of the memory, and what it costs. */
struct split_row {
	uint64_t ram, trunk, cache, ring;
	uint32_t chunk;
	double pinned, hits; /* shares */
	struct k3_cost token, prompt;
	bool best;
};

/*
 * trace-split-curve.c: the rows of one budget, up to SPLIT_ROWS, by rising
 * trunk; the best one is among them.  Returns how many; exits if the model
 * cannot run in it.
 */
#define SPLIT_ROWS 10
size_t split_curve(const struct split_options *o, const struct k3_cfg *cfg,
    const struct k3_st *st, uint64_t ram, struct split_row row[SPLIT_ROWS]);

/* trace-split-runs.c: how well reports are predicted, as a table or JSON. */
void split_runs(const struct split_options *o, int argc, char *argv[]);

#endif
