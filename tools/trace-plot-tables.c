/*
 * trace-plot-tables.c - kinds cache and split: lines, of tables
 */
#include <stdbool.h>
#include <string.h>

#include "tools/trace-file.h"
#include "tools/trace-plot-lines.h"
#include "tools/trace-table.h"

/* What no table of ours comes near. */
#define MAX_BYTES   1e18
#define MAX_SECONDS 1e10

/* What a file is called in the legend; "" where nothing needs to be said. */
static int
name_of(const struct trace_plot *p, size_t file, char *text, size_t size,
    struct k3_err *err)
{
	const char *name, *slash, *dot;

	*text = '\0';
	if (p->nlabel > 0 && p->nlabel != (p->nfile > 0 ? p->nfile : 1))
		return k3_fail(err, EX_USAGE, "%zu labels for %zu files",
		    p->nlabel, p->nfile > 0 ? p->nfile : 1);
	if (p->nlabel > 0) {
		snprintf(text, size, "%s", p->label[file]);
	} else if (p->nfile > 1) {
		slash = strrchr(p->file[file], '/');
		name = slash != NULL ? slash + 1 : p->file[file];
		dot = strrchr(name, '.');
		snprintf(text, size, "%.*s",
		    (int)(dot > name ? dot - name : (long)strnlen(name, size)),
		    name);
	}
	return 0;
}

/* Lines are told apart by what their files are called. */
static int
label(const struct trace_plot *p, size_t file, char *text, size_t size,
    struct k3_err *err)
{
	char other[256];

	if (name_of(p, file, text, size, err) != 0)
		return -1;
	for (size_t i = 0; i < file; i++) {
		if (name_of(p, i, other, sizeof(other), err) != 0)
			return -1;
		if (strcmp(text, other) == 0)
			return k3_fail(err, EX_USAGE,
			    "two files called '%s': --label tells them apart",
			    text);
	}
	return 0;
}

/* A number, or none: 1, 0 where it is not known ("-"), or -1. */
static int
number(const struct trace_table *t, size_t row, int column, double max,
    double *v, struct k3_err *err)
{
	if (column == -1 || strcmp(trace_table_field(t, row, column), "-") == 0)
		return 0;
	return trace_table_number(t, row, column, max, v, err) == 0 ? 1 : -1;
}

/* The lines of a table of k3-trace cache. */
static int
cache_table(struct trace_lines *l, const struct trace_table *t,
    const char *from, struct k3_err *err)
{
	int policy = trace_table_column(t, "policy", err);
	int slots = policy < 0 ? -1 : trace_table_column(t, "slots", err);
	int rate = slots < 0 ? -1 : trace_table_column(t, "hit_rate", err);
	int bytes = trace_table_column(t, "bytes", NULL), known, got;
	double x, y, b = 0;
	char name[256];

	if (rate < 0)
		return -1;
	for (size_t i = 0; i < t->nrow; i++) {
		if (trace_table_number(t, i, slots, MAX_BYTES, &x, err) != 0)
			return -1;
		got = number(t, i, rate, 1, &y, err);
		known = number(t, i, bytes, MAX_BYTES, &b, err);
		if (got < 0 || known < 0)
			return -1;
		/* None has no place on a logarithmic axis. */
		if (got == 0 || x < 1)
			continue;
		if (known == 1)
			trace_lines_scale(l, b / x);
		snprintf(name, sizeof(name), "%s%s%s",
		    trace_table_field(t, i, policy), *from ? ", " : "", from);
		if (trace_lines_add(l, name, x, 100 * y, err) != 0)
			return -1;
	}
	return 0;
}

/* The line of a table of k3-trace split: the best division of each budget. */
static int
split_table(struct trace_lines *l, const struct trace_table *t,
    const char *from, struct k3_err *err)
{
	int ram = trace_table_column(t, "ram", err);
	int best = ram < 0 ? -1 : trace_table_column(t, "best", err);
	int seconds =
	    best < 0 ? -1 : trace_table_column(t, "seconds_a_token", err);
	double x, y, is;
	int got;

	if (seconds < 0)
		return -1;
	for (size_t i = 0; i < t->nrow; i++) {
		if (trace_table_number(t, i, best, 1, &is, err) != 0 ||
		    trace_table_number(t, i, ram, MAX_BYTES, &x, err) != 0)
			return -1;
		got = number(t, i, seconds, MAX_SECONDS, &y, err);
		if (got < 0)
			return -1;
		/* Below a byte, and a nanosecond, there is nothing to see. */
		if (got == 1 && is == 1 && x >= 1 && y >= 1e-9 &&
		    trace_lines_add(l, from, x / 1e9, y, err) != 0)
			return -1;
	}
	return 0;
}

static int
read_lines(struct trace_lines *l, const struct trace_plot *p,
    int (*read)(struct trace_lines *l, const struct trace_table *t,
	const char *from, struct k3_err *err),
    struct k3_err *err)
{
	size_t n = p->nfile > 0 ? p->nfile : 1, before;
	struct trace_table t;
	char from[200];
	const char *name;
	FILE *fp;
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++) {
		before = l->npoint;
		if (label(p, i, from, sizeof(from), err) != 0)
			return -1;
		fp = trace_file_open(p->nfile > 0 ? p->file[i] : NULL, &name,
		    err);
		if (fp == NULL)
			return -1;
		ret = trace_table_read(&t, fp, name, err);
		trace_file_close(fp);
		if (ret == 0) {
			ret = read(l, &t, from, err);
			trace_table_free(&t);
		}
		if (ret == 0 && l->npoint == before)
			ret = k3_fail(err, EX_DATAERR,
			    "'%s': no row that can be plotted", name);
	}
	return ret;
}

/* Bytes on top, if it is known how many a slot has. */
static void
put_top(FILE *fp, double from, double to)
{
	static const char *const unit[] = { "bytes", "kB", "MB", "GB", "TB" };
	size_t u = 0;

	while (u + 1 < sizeof(unit) / sizeof(*unit) && to >= 1000) {
		from /= 1000;
		to /= 1000;
		u++;
	}
	fprintf(fp,
	    "set x2label 'Size of the cache (%s)' offset 0,-0.3\n"
	    "set logscale x2 10\n"
	    "set x2range [%.9g:%.9g]\n",
	    unit[u], from, to);
	trace_plot_tics(fp, "x2", from, to, 10);
}

int
trace_plot_cache(FILE *fp, const struct trace_plot *p, struct k3_err *err)
{
	struct trace_lines l = { 0 };
	double from, to;
	int ret = read_lines(&l, p, cache_table, err);

	if (ret == 0) {
		from = l.low.x / 1.1;
		to = l.high.x * 1.1;
		trace_plot_begin(fp,
		    p->title ? p->title : "Cache hits by size and policy");
		fprintf(fp,
		    "set xlabel 'Experts that the cache has room for'\n"
		    "set ylabel 'Demands that hit (%%)'\n"
		    "set logscale x 10\n"
		    "set xrange [%.9g:%.9g]\n"
		    "set yrange [0:100]\n"
		    "set ytics 20\n"
		    "set key left top\n",
		    from, to);
		trace_plot_tics(fp, "x", from, to, 10);
		if (l.scale > 0)
			put_top(fp, from * l.scale, to * l.scale);
		trace_lines_put(fp, &l);
	}
	trace_lines_free(&l);
	return ret;
}

int
trace_plot_split(FILE *fp, const struct trace_plot *p, struct k3_err *err)
{
	struct trace_lines l = { 0 };
	double from, to, least, most;
	int ret = read_lines(&l, p, split_table, err);

	if (ret == 0) {
		from = l.low.x / 1.15;
		to = l.high.x * 1.15;
		least = l.low.y / 1.3;
		most = l.high.y * 1.3;
		trace_plot_begin(fp,
		    p->title ? p->title : "Seconds a token by memory");
		fprintf(fp,
		    "set xlabel 'Memory for all (GB)'\n"
		    "set ylabel 'Seconds a token'\n"
		    "set logscale xy\n"
		    "set xrange [%.9g:%.9g]\n"
		    "set yrange [%.9g:%.9g]\n"
		    "set key right top\n",
		    from, to, least, most);
		trace_plot_tics(fp, "x", from, to, 2);
		trace_plot_tics(fp, "y", least, most, 10);
		trace_lines_put(fp, &l);
	}
	trace_lines_free(&l);
	return ret;
}
