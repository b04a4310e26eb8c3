/*
 * trace-plot-lines.h - lines of points, each with a name
 */
#ifndef K3_TOOLS_TRACE_PLOT_LINES_H
#define K3_TOOLS_TRACE_PLOT_LINES_H

#include "tools/trace-plot.h"

struct trace_point {
	double x, y;
};

struct trace_line {
	char *name;
	struct trace_point *point;
	size_t n;
};

struct trace_lines {
	struct trace_line line[TRACE_PLOT_STYLES];
	size_t n;
	struct trace_point low, high; /* of all points */
	size_t npoint;
	double scale; /* bytes of a slot; 0: not known, NAN: not one number */
};

/* A slot has so many bytes, of which there is an axis if all have as many. */
void trace_lines_scale(struct trace_lines *l, double bytes);

/* A point of the line of that name, which may be a new one. */
int trace_lines_add(struct trace_lines *l, const char *name, double x, double y,
    struct k3_err *err);

/* The points, and the plot of them. */
void trace_lines_put(FILE *fp, struct trace_lines *l);

void trace_lines_free(struct trace_lines *l);

#endif
