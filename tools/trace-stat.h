/*
 * trace-stat.h - what the parts of k3-trace stat share
 */
#ifndef K3_TOOLS_TRACE_STAT_H
#define K3_TOOLS_TRACE_STAT_H

#include <stdbool.h>

#include "common/uses.h"

/* Experts that a run read on a guess, from its report. */
struct trace_stat_read {
	uint64_t demands, misses, right, wrong;
};

/* Of prefill and decode, [0] and [1], where there are two. */
struct trace_stat {
	char *guess, *report; /* files, or NULL */
	bool json, layers, quiet, verbose;
	size_t top; /* 0: no list */
	struct k3_uses uses;
	uint64_t strays[2]; /* guesses that are about no line */
	struct trace_stat_read read[2];
};

/* A figure: whole, or x, which is NAN where there is none. */
struct trace_stat_row {
	char name[32];
	bool is_whole;
	uint64_t whole;
	double x;
};

struct trace_stat_rows {
	struct trace_stat_row row[96];
	size_t n;
};

/* The figures of a kind of passes, 0 or 1, over all layers.  0 or -1. */
int trace_stat_all(struct trace_stat_rows *rows, const struct trace_stat *s,
    int kind, struct k3_err *err);

/* Those of a layer.  1, or 0 if it has no lines, or -1. */
int trace_stat_layer(struct trace_stat_rows *rows, const struct trace_stat *s,
    int kind, uint32_t layer, struct k3_err *err);

const struct k3_uses_kind *trace_stat_kind(const struct trace_stat *s,
    int kind);

/* Print what the options ask for.  0 or -1. */
int trace_stat_print(const struct trace_stat *s, struct k3_err *err);

#endif
