/*
 * trace-stat.c - how a model uses its experts
 */
#include <getopt.h>
#include <inttypes.h>

#include "common/run.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/trace-file.h"
#include "tools/trace-input.h"
#include "tools/trace-stat.h"
#include "tools/trace.h"

static const char synopsis[] =
    "stat [-hqv] [--guess FILE] [--json] [--layers] [--report FILE]\n"
    "                     [--top N] [file ...]";
static const char help[] =
    "      --guess FILE   routes of which the experts were guessed\n"
    "  -h, --help         print this help\n"
    "      --json         all as JSON\n"
    "      --layers       a line for each layer\n"
    "  -q, --quiet        no progress\n"
    "      --report FILE  a run's report: what it read on a guess\n"
    "      --top N        the N experts picked most\n"
    "  -v, --verbose      progress, now and then\n";

enum {
	OPT_GUESS = 256,
	OPT_JSON,
	OPT_LAYERS,
	OPT_REPORT,
	OPT_TOP,
};

static const struct option longopts[] = {
	{ "guess", required_argument, NULL, OPT_GUESS },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "layers", no_argument, NULL, OPT_LAYERS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "report", required_argument, NULL, OPT_REPORT },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "verbose", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

/* Guesses, which go along with the routes. */
struct guess {
	struct trace_input in;
	struct trace_input *routes; /* with the progress of both */
	struct k3_route next;
	bool more; /* is there a next one? */
	bool any;  /* was one about a line? */
};

static void
parse(struct trace_stat *s, int argc, char *argv[])
{
	struct k3_err err;
	int c;

	while ((c = tool_option(argc, argv, "hqv", longopts)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case OPT_GUESS:
			s->guess = optarg;
			break;
		case OPT_JSON:
			s->json = true;
			break;
		case OPT_LAYERS:
			s->layers = true;
			break;
		case 'q':
			s->quiet = true;
			break;
		case OPT_REPORT:
			s->report = optarg;
			break;
		case OPT_TOP:
			s->top = tool_number("--top", optarg, 1, UINT32_MAX);
			break;
		case 'v':
			s->verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
	if (s->layers && s->top > 0 && !s->json) {
		k3_fail(&err, EX_USAGE,
		    "--layers and --top are two tables: only --json has both");
		tool_die(&err);
	}
	/* Numbers are those of one run. */
	if (s->guess != NULL && argc - optind > 1) {
		k3_fail(&err, EX_USAGE, "--guess goes with one file, not %d",
		    argc - optind);
		tool_die(&err);
	}
}

/* Does the token of 'a' in its layer come before that of 'b'? */
static bool
before(const struct k3_route *a, const struct k3_route *b)
{
	if (a->pass != b->pass)
		return a->pass < b->pass;
	if (a->layer != b->layer)
		return a->layer < b->layer;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence;
	return a->position < b->position;
}

static void
advance(struct guess *g)
{
	struct k3_err err;
	int got = trace_input_next(&g->in, &g->next, &err);

	if (got == -1)
		trace_input_die(g->routes, &err);
	g->more = got == 1;
}

static void
open_guess(struct guess *g, struct trace_input *in, char *const *name)
{
	const struct k3_routes_shape *a = &in->shape, *b = &g->in.shape;
	struct k3_err err;

	if (trace_input_open(&g->in, name, 1, &err) != 0)
		tool_die(&err);
	if (a->layers != b->layers || a->experts != b->experts) {
		k3_fail(&err, EX_DATAERR,
		    "'%s' line 1: layers=%" PRIu32 " experts=%" PRIu32
		    ", but '%s' has layers=%" PRIu32 " experts=%" PRIu32,
		    g->in.name, b->layers, b->experts, in->name, a->layers,
		    a->experts);
		tool_die(&err);
	}
	g->routes = in;
	advance(g);
}

static void
stray(struct trace_stat *s, struct guess *g)
{
	s->strays[g->next.kind == 'd']++;
	advance(g);
}

/* What was guessed for a line, or NULL. */
static const struct k3_route *
guess_for(struct trace_stat *s, struct guess *g, const struct k3_route *route)
{
	while (g->more && before(&g->next, route))
		stray(s, g);
	if (!g->more || before(route, &g->next))
		return NULL;
	g->any = true;
	return &g->next;
}

/* The guesses are over when the routes are. */
static void
close_guess(struct trace_stat *s, struct guess *g, const char *routes)
{
	struct k3_err err;

	while (g->more)
		stray(s, g);
	if (!g->any) {
		tool_progress_clear(&g->routes->progress);
		k3_fail(&err, EX_DATAERR,
		    "'%s': no guess is about a token of '%s'", g->in.name,
		    routes);
		tool_die(&err);
	}
	trace_input_close(&g->in);
}

static void
count(struct trace_stat *s, struct trace_input *in, struct guess *g)
{
	struct k3_route route;
	struct k3_err err;
	int got;

	while ((got = trace_input_next(in, &route, &err)) == 1) {
		const struct k3_route *guess =
		    s->guess != NULL ? guess_for(s, g, &route) : NULL;

		if (k3_uses_add(&s->uses, &route, guess, &err) != 0)
			trace_input_die(in, &err);
		if (guess != NULL)
			advance(g);
	}
	if (got == -1 || k3_uses_end(&s->uses, &err) != 0)
		trace_input_die(in, &err);
}

/* What a run read on a guess.  Four passes may exceed 64 bits. */
static void
read_report(struct trace_stat *s)
{
	struct k3_run run;
	struct k3_err err;
	const char *name;
	FILE *fp = trace_file_open(s->report, &name, &err);
	bool huge = false;

	if (fp == NULL || k3_run_read(&run, fp, name, &err) != 0)
		tool_die(&err);
	trace_file_close(fp);
	for (size_t i = 0; i < run.npass; i++) {
		const struct k3_run_counters *c = &run.pass[i].part.counters;
		struct trace_stat_read *r = &s->read[run.pass[i].kind == 'd'];

		r->demands += c->demands;
		r->misses += c->misses;
		r->right += c->guessed_right;
		r->wrong += c->guessed_wrong;
		huge = huge || r->demands > K3_RUN_MAX_WHOLE ||
		       r->right > K3_RUN_MAX_WHOLE ||
		       r->wrong > K3_RUN_MAX_WHOLE;
	}
	k3_run_free(&run);
	if (huge) {
		k3_fail(&err, EX_DATAERR,
		    "'%s': counters come to more than %" PRIu64, name,
		    K3_RUN_MAX_WHOLE);
		tool_die(&err);
	}
}

int
trace_stat(int argc, char *argv[])
{
	struct trace_stat s = { .guess = NULL };
	struct guess g = { .more = false };
	struct trace_input in;
	struct k3_err err;

	parse(&s, argc, argv);
	tool_signal_init_report();
	if (s.report != NULL)
		read_report(&s);
	if (trace_input_open(&in, argv + optind, argc - optind, &err) != 0)
		tool_die(&err);
	if (s.guess != NULL)
		open_guess(&g, &in, &s.guess);
	if (k3_uses_init(&s.uses, &in.shape, &err) != 0)
		tool_die(&err);
	trace_input_watch(&in, s.quiet, s.verbose);
	count(&s, &in, &g);
	if (s.guess != NULL)
		close_guess(&s, &g, in.name);
	trace_input_close(&in);
	if (trace_stat_print(&s, &err) != 0)
		tool_die(&err);
	k3_uses_fini(&s.uses);
	return tool_finish();
}
