/*
 * trace-plot-experts.c - a heat map of layers and experts, of routes
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/trace-input.h"
#include "tools/trace-plot.h"

/* K3 has 83328; much more is neither seen nor held easily. */
#define MAX_CELLS ((uint64_t)1 << 21)

/* Of so many each is drawn; more become an image, which viewers smooth. */
#define MAX_SHARP 8192

struct map {
	uint32_t layers, experts;
	uint64_t *use;    /* [layers][experts]: tokens that went there */
	uint64_t *tokens; /* [layers]: all of them */
};

static int
count(struct map *m, const struct trace_plot *p, struct k3_err *err)
{
	struct trace_input in;
	struct k3_route r;
	int got = -1;

	if (trace_input_open(&in, p->file, (int)p->nfile, err) != 0)
		return -1;
	m->layers = in.shape.layers;
	m->experts = in.shape.experts;
	if ((uint64_t)m->layers * m->experts > MAX_CELLS) {
		k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu32 " layers of %" PRIu32
		    " experts are more than %" PRIu64 " cells of a picture",
		    in.name, m->layers, m->experts, MAX_CELLS);
		goto out;
	}
	m->use = calloc((size_t)m->layers * m->experts, sizeof(*m->use));
	m->tokens = calloc(m->layers, sizeof(*m->tokens));
	if (m->use == NULL || m->tokens == NULL) {
		k3_fail(err, EX_OSERR, "cannot plot: out of memory");
		goto out;
	}
	while ((got = trace_input_next(&in, &r, err)) == 1) {
		m->tokens[r.layer]++;
		for (uint32_t i = 0; i < r.n; i++)
			m->use[(size_t)r.layer * m->experts + r.expert[i]]++;
	}
out:
	trace_input_close(&in);
	return got == 0 ? 0 : -1;
}

/* The layers that have routes, from the first to the last. */
static bool
span(const struct map *m, uint32_t *first, uint32_t *last)
{
	bool any = false;

	for (uint32_t i = 0; i < m->layers; i++) {
		if (m->tokens[i] == 0)
			continue;
		*first = any ? *first : i;
		*last = i;
		any = true;
	}
	return any;
}

static double
share(uint64_t part, uint64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

/* How many of a hundred tokens went to an expert. */
static void
put_cells(FILE *fp, const struct map *m, uint32_t first, uint32_t last)
{
	fputs("$use << END\n", fp);
	for (uint32_t layer = first; layer <= last; layer++)
		for (uint32_t e = 0; e < m->experts; e++)
			fprintf(fp, "%.4g%c",
			    share(m->use[(size_t)layer * m->experts + e],
				m->tokens[layer]),
			    e + 1 < m->experts ? ' ' : '\n');
	fputs("END\n", fp);
}

static void
put_plot(FILE *fp, const struct trace_plot *p, const struct map *m,
    uint32_t first, uint32_t last)
{
	uint64_t cells = (uint64_t)(last - first + 1) * m->experts;

	trace_plot_begin(fp, p->title ? p->title : "Use of experts");
	put_cells(fp, m, first, last);
	fprintf(fp,
	    "set xlabel 'Expert'\n"
	    "set ylabel 'Layer'\n"
	    "set cblabel 'Tokens that went there (%%)'\n"
	    "set xrange [-0.5:%" PRIu32 ".5]\n"
	    "set yrange [%" PRIu32 ".5:%.1f]\n"
	    "set palette defined (0 '#ffffff', 0.04 '#dfeaf5', "
	    "0.15 '#a6c6e4', 0.4 '#4f86bd', 1 '#061d3d')\n"
	    "set cbrange [0:*]\n"
	    "set tics front out\n"
	    "set ytics %s\n"
	    "unset grid\n"
	    "unset key\n"
	    "plot $use matrix using 1:($2+%" PRIu32 "):3 with image%s\n",
	    m->experts - 1, last, (double)first - 0.5,
	    last - first < 10 ? "1" : "autofreq", first,
	    cells <= MAX_SHARP ? " pixels" : "");
}

int
trace_plot_experts(FILE *fp, const struct trace_plot *p, struct k3_err *err)
{
	struct map m = { 0 };
	uint32_t first = 0, last = 0;
	int ret = count(&m, p, err);

	if (ret == 0 && !span(&m, &first, &last))
		ret = k3_fail(err, EX_DATAERR, "'%s': no routes",
		    p->nfile > 0 ? p->file[0] : "<stdin>");
	if (ret == 0)
		put_plot(fp, p, &m, first, last);
	free(m.use);
	free(m.tokens);
	return ret;
}
