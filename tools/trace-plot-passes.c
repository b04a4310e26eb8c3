/*
 * trace-plot-passes.c - the time of each pass, stacked, of a run report
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "common/run.h"
#include "tools/trace-file.h"
#include "tools/trace-plot.h"

/* Bars that can be told apart; of more passes several share one. */
#define BARS 200

/* Prompts and generated tokens differ in scale: each has a panel. */
struct panel {
	char kind;
	const char *name, *title;
	size_t n;
	double left, right; /* edges, in the picture's width */
};

static size_t
count(const struct k3_run *run, char kind)
{
	size_t n = 0;

	for (size_t i = 0; i < run->npass; i++)
		n += run->pass[i].kind == kind;
	return n;
}

/* A bar of 'n' passes with the means of their parts. */
static void
put_bar(FILE *fp, const struct k3_run_seconds *sum, size_t first, size_t n)
{
	double each = 1 / (double)n;

	fprintf(fp, "%.9g %.6g %.6g %.6g %.6g\n",
	    (double)first + ((double)n - 1) / 2, (double)n, sum->compute * each,
	    sum->trunk_wait * each, sum->expert_wait * each);
}

static void
put_data(FILE *fp, const struct k3_run *run, const struct panel *p)
{
	size_t each = (p->n + BARS - 1) / BARS, first = 0, n = 0;
	struct k3_run_seconds sum = { 0 };

	fprintf(fp, "$%s << END\n", p->name);
	for (size_t i = 0; i < run->npass; i++) {
		const struct k3_run_seconds *t = &run->pass[i].part.seconds;

		if (run->pass[i].kind != p->kind)
			continue;
		sum.compute += t->compute;
		sum.trunk_wait += t->trunk_wait;
		sum.expert_wait += t->expert_wait;
		if (++n < each && first + n < p->n)
			continue;
		put_bar(fp, &sum, first, n);
		sum = (struct k3_run_seconds){ 0 };
		first += n;
		n = 0;
	}
	fputs("END\n", fp);
}

/* The stack from below. */
static const struct {
	const char *colour, *title, *from, *to;
	double at; /* in the legend, as a share of the width */
} part[] = { { "#17324f", "computing", "0", "$3", 0.36 },
	{ "#6f9fcc", "waiting for trunk", "$3", "$3+$4", 0.53 },
	{ "#d9e6f2", "waiting for experts", "$3+$4", "$3+$4+$5", 0.76 } };

/* One for both panels, which gnuplot's own cannot be. */
static void
put_legend(FILE *fp)
{
	for (int i = 0; i < 3; i++)
		fprintf(fp,
		    "set object rectangle from screen %.2f,0.855 to screen "
		    "%.2f,0.895 fillstyle solid border linecolor '#17324f' "
		    "fillcolor '%s'\n"
		    "set label '%s' at screen %.3f,0.875 left\n",
		    part[i].at - 0.03, part[i].at, part[i].colour,
		    part[i].title, part[i].at + 0.01);
}

static void
put_panel(FILE *fp, const struct panel *p)
{
	fprintf(fp,
	    "set lmargin at screen %.3f\n"
	    "set rmargin at screen %.3f\n"
	    "set xlabel '%s'\n"
	    "set xrange [-0.5:%.1f]\n"
	    "set yrange [0:*]\n"
	    "set xtics %s\n",
	    p->left, p->right, p->title, (double)p->n - 0.5,
	    p->n <= 10 ? "1" : "autofreq");
	for (int i = 0; i < 3; i++)
		fprintf(fp,
		    "%s$%s using 1:(%s):($1-$2/2):($1+$2/2):(%s):(%s) with "
		    "boxxyerror fillstyle solid noborder "
		    "fillcolor '%s' notitle",
		    i == 0 ? "plot " : ", \\\n     ", p->name, part[i].to,
		    part[i].from, part[i].to, part[i].colour);
	putc('\n', fp);
}

static void
put_panels(FILE *fp, const struct k3_run *run, const char *title)
{
	struct panel panel[2] = {
		{ 'p', "prompt", "Pass of the prompt", 0, 0.13, 0.97 },
		{ 'd', "generated", "Generated token", 0, 0.13, 0.97 },
	};
	double share;

	for (int i = 0; i < 2; i++) {
		panel[i].n = count(run, panel[i].kind);
		if (panel[i].n > 0)
			put_data(fp, run, &panel[i]);
	}
	/* Side by side by their numbers, as far as that leaves both room. */
	if (panel[0].n > 0 && panel[1].n > 0) {
		share = (double)panel[0].n / (double)run->npass;
		share = fmin(fmax(share, 0.15), 0.85);
		panel[0].right = 0.13 + 0.73 * share;
		panel[1].left = panel[0].right + 0.11;
	}
	fputs("set grid noxtics\n"
	      "set tmargin at screen 0.82\n"
	      "set bmargin at screen 0.15\n"
	      "unset title\n"
	      "set multiplot title ",
	    fp);
	trace_plot_quote(fp, title, TRACE_PLOT_TITLE);
	fputs(" font ',16'\nset ylabel 'Seconds of a pass'\n", fp);
	put_legend(fp);
	for (int i = 0; i < 2; i++) {
		if (panel[i].n == 0)
			continue;
		put_panel(fp, &panel[i]);
		fputs("unset ylabel\nunset label\nunset object\n", fp);
	}
	fputs("unset multiplot\n", fp);
}

int
trace_plot_passes(FILE *fp, const struct trace_plot *p, struct k3_err *err)
{
	const char *title = p->title != NULL ? p->title : "Time of each pass";
	struct k3_run run = { 0 };
	const char *name;
	FILE *in =
	    trace_file_open(p->nfile > 0 ? p->file[0] : NULL, &name, err);
	int ret;

	if (in == NULL)
		return -1;
	ret = k3_run_read(&run, in, name, err);
	trace_file_close(in);
	if (ret != 0)
		return -1;
	if (run.npass == 0) {
		ret = k3_fail(err, EX_DATAERR, "'%s': no pass to plot", name);
	} else {
		trace_plot_begin(fp, title);
		put_panels(fp, &run, title);
	}
	k3_run_free(&run);
	return ret;
}
