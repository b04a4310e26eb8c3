/*
 * trace-plot-lines.c - lines of points, each with a name
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trace-plot-lines.h"

void
trace_lines_free(struct trace_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->line[i].name);
		free(l->line[i].point);
	}
}

void
trace_lines_scale(struct trace_lines *l, double bytes)
{
	if (l->scale == 0 && bytes >= 1e-3)
		l->scale = bytes;
	else if (!(fabs(bytes - l->scale) <= 1e-3 * l->scale))
		l->scale = NAN;
}

int
trace_lines_add(struct trace_lines *l, const char *name, double x, double y,
    struct k3_err *err)
{
	struct trace_line *line = l->line, *end = l->line + l->n;
	struct trace_point *more;

	while (line < end && strcmp(line->name, name) != 0)
		line++;
	if (line == l->line + TRACE_PLOT_STYLES)
		return k3_fail(err, EX_DATAERR,
		    "cannot plot more than %d lines", TRACE_PLOT_STYLES);
	if (line == end) {
		line->name = strdup(name);
		if (line->name == NULL)
			goto fail;
		l->n++;
	}
	more = realloc(line->point, (line->n + 1) * sizeof(*more));
	if (more == NULL)
		goto fail;
	line->point = more;
	more[line->n].x = x;
	more[line->n++].y = y;
	if (l->npoint++ == 0)
		l->low = l->high = more[0];
	l->low.x = fmin(l->low.x, x);
	l->low.y = fmin(l->low.y, y);
	l->high.x = fmax(l->high.x, x);
	l->high.y = fmax(l->high.y, y);
	return 0;
fail:
	return k3_fail(err, EX_OSERR, "cannot plot: out of memory");
}

static int
compare(const void *a, const void *b)
{
	const struct trace_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

void
trace_lines_put(FILE *fp, struct trace_lines *l)
{
	const char *only = l->line[0].name;
	bool legend = l->n > 1 || (only != NULL && *only != '\0');

	for (size_t i = 0; i < l->n; i++) {
		struct trace_line *line = &l->line[i];

		if (line->n > 1)
			qsort(line->point, line->n, sizeof(*line->point),
			    compare);
		fprintf(fp, "$line%zu << END\n", i + 1);
		for (size_t j = 0; j < line->n; j++)
			fprintf(fp, "%.9g %.6g\n", line->point[j].x,
			    line->point[j].y);
		fputs("END\n", fp);
	}
	for (size_t i = 0; i < l->n; i++) {
		fprintf(fp,
		    "%s$line%zu using 1:2 with linespoints "
		    "linestyle %zu ",
		    i == 0 ? "plot " : ", \\\n     ", i + 1, i + 1);
		if (legend) {
			fputs("title ", fp);
			trace_plot_quote(fp, l->line[i].name,
			    TRACE_PLOT_LEGEND);
		} else {
			fputs("notitle", fp);
		}
	}
	putc('\n', fp);
}
