/*
 * trace-plot-text.c - what all programs for gnuplot share
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/unicode.h"
#include "tools/trace-plot.h"

/* Marks on an axis, at most. */
#define TICS 40

/* May the symbol of 'n' bytes stand in XML and on one line? */
static bool
harmless(const unsigned char *p, size_t n)
{
	if (n == 1)
		return *p >= ' ' && *p < 0x7f;
	if (n == 2)
		return p[0] != 0xc2 || p[1] >= 0xa0;
	/* U+FFFE and U+FFFF are no characters. */
	return n != 3 || p[0] != 0xef || p[1] != 0xbf || p[2] < 0xbe;
}

/* "]]>" is nothing that XML allows, and gnuplot writes it as it is. */
static bool
ends_cdata(const char *text, const char *p)
{
	return p - text >= 2 && memcmp(p - 2, "]]>", 3) == 0;
}

/*
 * Doubled quotes in single quotes are read in more than one way, by gnuplot
 * 5.4.  In double quotes what is not plainly harmless is written in octal,
 * which is read last of all.
 */
void
trace_plot_quote(FILE *fp, const char *text, size_t most)
{
	const unsigned char *p = (const unsigned char *)text;
	const unsigned char *end = p + strlen(text);
	unsigned flags;

	putc('"', fp);
	for (size_t i = 0; p < end; i++) {
		size_t n = k3_uc_next(p, end, &flags);

		if (i == most) {
			fputs("...", fp);
			break;
		}
		if (!harmless(p, n) || ends_cdata(text, (const char *)p))
			putc('?', fp);
		else if (n == 1 && strchr("\"'`\\@$#%", *p) != NULL)
			fprintf(fp, "\\%03o", *p);
		else
			fwrite(p, 1, n, fp);
		p += n;
	}
	putc('"', fp);
}

/* Colours that differ in brightness; dashes and marks differ too. */
void
trace_plot_begin(FILE *fp, const char *title)
{
	static const struct {
		const char *colour, *dash;
		int point;
	} style[TRACE_PLOT_STYLES] = { { "#000000", "solid", 7 },
		{ "#1f4e8c", "(12,5)", 5 }, { "#b0471e", "(4,4)", 9 },
		{ "#4f9a94", "(14,4,3,4)", 13 }, { "#b79a3c", "(2,3)", 6 },
		{ "#8f8f8f", "(20,5)", 4 }, { "#4d4d4d", "(8,3,2,3,2,3)", 8 },
		{ "#7d9ccf", "(5,2)", 12 } };

	fputs("set terminal svg size 720,420 fixed noenhanced linewidth 1.2 "
	      "font 'sans-serif,14' background '#ffffff' name 'picture'\n"
	      "set encoding utf8\n"
	      "set title ",
	    fp);
	trace_plot_quote(fp, title, TRACE_PLOT_TITLE);
	fputs(" font ',16'\nset border linecolor '#404040'\n"
	      "set grid linetype 1 linecolor '#d8d8d8' linewidth 0.5\n"
	      "set tics nomirror\n"
	      "set xlabel offset 0,0.3\n",
	    fp);
	for (int i = 0; i < TRACE_PLOT_STYLES; i++)
		fprintf(fp,
		    "set style line %d linecolor '%s' dashtype %s "
		    "linewidth 1.6 pointtype %d pointsize 0.7\n",
		    i + 1, style[i].colour, style[i].dash, style[i].point);
}

/* The marks from 'from' to 'to', at steps that leave at most TICS of them. */
static size_t
marks(double from, double to, const double *step, size_t nstep, double factor,
    double *mark)
{
	double unit = pow(factor, floor(log(from) / log(factor)));
	size_t n = 0;

	for (; unit <= to && n < TICS; unit *= factor)
		for (size_t i = 0; i < nstep && n < TICS; i++)
			if (unit * step[i] >= from * (1 - 1e-9) &&
			    unit * step[i] <= to * (1 + 1e-9))
				mark[n++] = unit * step[i];
	return n;
}

void
trace_plot_tics(FILE *fp, const char *axis, double from, double to, int base)
{
	static const double one[] = { 1 }, three[] = { 1, 2, 5 };
	double mark[TICS];
	size_t n;

	if (base == 2)
		n = marks(from, to, one, 1, to / from > 1e6 ? 16 : 2, mark);
	else if (to / from < 1000)
		n = marks(from, to, three, 3, 10, mark);
	else
		n = marks(from, to, one, 1, to / from > 1e10 ? 1000 : 10, mark);
	fprintf(fp, "set %stics (", axis);
	for (size_t i = 0; i < n; i++)
		fprintf(fp, "%s'%.*f' %.9g", i > 0 ? ", " : "",
		    mark[i] < 1 ? (int)ceil(-log10(mark[i]) - 1e-9) : 0,
		    mark[i], mark[i]);
	fputs(")\n", fp);
}
