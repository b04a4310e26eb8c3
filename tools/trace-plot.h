/*
 * trace-plot.h - pictures by gnuplot
 *
 * A kind writes a gnuplot program with its data in it.
 *
 *	plot		options
 *	plot-run	runs gnuplot
 *	plot-text	what all programs share: texts, axes, styles
 *	plot-tables	kinds cache and split: lines, of tables
 *	plot-lines	their lines
 *	plot-experts	a heat map, of routes
 *	plot-passes	stacked bars, of a run report
 */
#ifndef K3_TOOLS_TRACE_PLOT_H
#define K3_TOOLS_TRACE_PLOT_H

#include <stdio.h>

#include "common/buf.h"

/* What is asked for. */
struct trace_plot {
	const char *title;  /* or NULL: the kind's own */
	char *const *label; /* of files, in their order */
	size_t nlabel;
	char *const *file; /* none is standard input */
	size_t nfile;
};

/* Write a program to 'fp', whose errors are looked at elsewhere; 0 or -1. */
int trace_plot_cache(FILE *fp, const struct trace_plot *p, struct k3_err *err);
int trace_plot_experts(FILE *fp, const struct trace_plot *p,
    struct k3_err *err);
int trace_plot_passes(FILE *fp, const struct trace_plot *p, struct k3_err *err);
int trace_plot_split(FILE *fp, const struct trace_plot *p, struct k3_err *err);

/*
 * A text in quotes, in which gnuplot sees nothing but characters.  What
 * XML does not allow, and bytes that are no UTF-8, become question marks;
 * what is longer than 'most' characters ends in dots.
 */
void trace_plot_quote(FILE *fp, const char *text, size_t most);

/* A legend with more of them has no room in the picture, and is left out. */
#define TRACE_PLOT_TITLE  200
#define TRACE_PLOT_LEGEND 48

/* How a program begins; it may use line styles from 1. */
#define TRACE_PLOT_STYLES 8
void trace_plot_begin(FILE *fp, const char *title);

/* Marks on a logarithmic axis at powers of 2, or 1, 2, 5 and powers of 10. */
void trace_plot_tics(FILE *fp, const char *axis, double from, double to,
    int base);

/* Its picture.  EX_UNAVAILABLE where there is no gnuplot. */
int trace_plot_run(FILE *program, struct k3_buf *svg, struct k3_err *err);

#endif
