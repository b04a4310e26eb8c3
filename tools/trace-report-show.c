/*
 * trace-report-show.c - a run on one screen
 */
#include <inttypes.h>
#include <string.h>

#include "tools/trace-report.h"
#include "tools/trace-text.h"

#define FIELD 48

/* Where the time went. */
#define NPART 4
static const char *const part_name[NPART] = { "  computing",
	"  waiting for trunk", "  waiting for experts", "  other" };

static void
put_tokens(char text[FIELD], const struct trace_sum *sum)
{
	snprintf(text, FIELD, "%.0f", sum->tokens);
}

static void
put_passes(char text[FIELD], const struct trace_sum *sum)
{
	snprintf(text, FIELD, "%.0f", sum->passes);
}

static void
put_wall(char text[FIELD], const struct trace_sum *sum)
{
	trace_seconds(text, sum->seconds.wall);
}

static void
put_trunk(char text[FIELD], const struct trace_sum *sum)
{
	trace_bytes(text, trace_ratio(sum->trunk_bytes, sum->tokens));
}

static void
put_experts(char text[FIELD], const struct trace_sum *sum)
{
	trace_bytes(text, trace_ratio(sum->expert_bytes, sum->tokens));
}

static void
put_busy(char text[FIELD], const struct trace_sum *sum)
{
	snprintf(text, FIELD, "%.0f %%",
	    100 * trace_share(sum->busy, sum->seconds.wall));
}

static void
put_rate(char text[FIELD], const struct trace_sum *sum)
{
	char bytes[TRACE_TEXT];

	trace_bytes(bytes, trace_ratio(sum->read_bytes, sum->busy));
	snprintf(text, FIELD, "%s/s", bytes);
}

static void
put_depth(char text[FIELD], const struct trace_sum *sum)
{
	snprintf(text, FIELD, "%.1f", sum->depth);
}

static void
put_hits(char text[FIELD], const struct trace_sum *sum)
{
	if (sum->demands > 0)
		snprintf(text, FIELD, "%.0f %%",
		    100 * trace_share(sum->hits, sum->demands));
}

static void
put_fills(char text[FIELD], const struct trace_sum *sum)
{
	if (sum->demands > 0)
		snprintf(text, FIELD, "%.0f %%",
		    100 * trace_share(sum->fills, sum->demands));
}

static const struct {
	const char *name;
	void (*put)(char text[FIELD], const struct trace_sum *sum);
} above[] = { { "tokens", put_tokens }, { "passes", put_passes },
	{ "seconds", put_wall } },
  below[] = { { "trunk a token", put_trunk },
	  { "experts a token", put_experts }, { "disk busy", put_busy },
	  { "  reading at", put_rate }, { "  reads in flight", put_depth },
	  { "experts in cache", put_hits },
	  { "  missed as it fills", put_fills } };

/* A line of three fields, of which those without passes are empty. */
static void
row(const struct trace_summary *s, const char *name,
    void (*put)(char text[FIELD], const struct trace_sum *sum))
{
	const struct trace_sum *sum[] = { &s->prompt, &s->generated, &s->all };

	printf("%-24s", name);
	for (size_t i = 0; i < 3; i++) {
		char text[FIELD] = "-";

		if (sum[i]->passes > 0)
			put(text, sum[i]);
		printf("%17s", text);
	}
	putchar('\n');
}

/* Generated tokens are many, and the first ones are slow. */
static void
row_of_token(const struct trace_summary *s)
{
	const struct trace_sum *p = &s->prompt;
	char prompt[TRACE_TEXT] = "-", median[TRACE_TEXT + 8] = "-";
	char text[TRACE_TEXT];

	if (p->tokens > 0)
		trace_seconds(prompt, p->seconds.wall / p->tokens);
	if (s->generated.passes > 0)
		snprintf(median, sizeof(median), "median %s",
		    trace_seconds(text, s->median));
	printf("%-24s%17s%17s\n", "seconds a token", prompt, median);
}

static void
rows_of_time(const struct trace_summary *s)
{
	const struct trace_sum *sum[] = { &s->prompt, &s->generated, &s->all };
	double part[3][NPART];
	int percent[3][NPART];

	for (size_t i = 0; i < 3; i++) {
		const struct k3_run_seconds *t = &sum[i]->seconds;

		part[i][0] = t->compute;
		part[i][1] = t->trunk_wait;
		part[i][2] = t->expert_wait;
		part[i][3] = t->other;
		trace_percent(part[i], NPART, percent[i]);
	}
	for (size_t p = 0; p < NPART; p++) {
		printf("%-24s", part_name[p]);
		for (size_t i = 0; i < 3; i++) {
			char text[TRACE_TEXT];

			trace_seconds(text, part[i][p]);
			printf("%11s %3d %%", text, percent[i][p]);
		}
		putchar('\n');
	}
}

/* What ran, and in which memory. */
static void
head(const struct k3_run *run)
{
	const struct k3_run_model *m = &run->model;
	const struct k3_run_plan *p = &run->plan;
	char a[TRACE_TEXT], b[TRACE_TEXT], c[TRACE_TEXT], d[TRACE_TEXT];

	printf("%s %s: level %s, %" PRIu64 " thread%s, io %s, chunk %" PRIu64
	       ", context %" PRIu64 "\n",
	    run->tool, run->version, run->cpu, run->threads,
	    run->threads == 1 ? "" : "s", run->io, p->chunk, p->context);
	printf("model   %s: %" PRIu64 " layers, %" PRIu64
	       " of them with %" PRIu64 " experts of %s\n",
	    trace_bytes(a, (double)m->checkpoint_bytes), m->layers,
	    m->moe_layers, m->experts, trace_bytes(b, (double)m->expert_bytes));
	printf("memory  %s at its peak, %s planned: cache %s, pinned %s\n",
	    trace_bytes(a, (double)run->peak_bytes),
	    trace_bytes(b, (double)p->total), trace_bytes(c, (double)p->cache),
	    trace_bytes(d, (double)p->pinned_bytes));
}

void
trace_report_show(const struct trace_summary *s, const struct trace_advice *a)
{
	head(s->run);
	printf("\n%24s%17s%17s%17s\n", "", "prompt", "generated", "whole run");
	for (size_t i = 0; i < sizeof(above) / sizeof(*above); i++)
		row(s, above[i].name, above[i].put);
	row_of_token(s);
	rows_of_time(s);
	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		row(s, below[i].name, below[i].put);
	printf("next    ");
	trace_fold(stdout, a->text, 8);
}
