/*
 * trace-report-sum.c - add up the passes of a run
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trace-report.h"

double
trace_ratio(double a, double b)
{
	double v = b > 0 ? a / b : 0;

	return isfinite(v) ? v : 0;
}

double
trace_share(double a, double b)
{
	double v = trace_ratio(a, b);

	return v < 1 ? v : 1;
}

static void
add(struct trace_sum *to, const struct k3_run_part *part, size_t tokens)
{
	const struct k3_run_counters *c = &part->counters;
	double misses = (double)c->misses;
	double gone = (double)c->evictions + (double)c->bypassed;

	to->passes++;
	to->tokens += (double)tokens;
	to->seconds.wall += part->seconds.wall;
	to->seconds.compute += part->seconds.compute;
	to->seconds.trunk_wait += part->seconds.trunk_wait;
	to->seconds.expert_wait += part->seconds.expert_wait;
	to->seconds.other += part->seconds.other;
	to->trunk_bytes += (double)c->trunk_bytes;
	to->expert_bytes += (double)c->expert_bytes;
	to->read_bytes += (double)part->reads.bytes;
	/* For now the sum of reads in flight over time. */
	to->depth += part->reads.depth * part->reads.busy;
	to->busy += part->reads.busy;
	to->demands += (double)c->demands;
	to->hits += (double)c->hits;
	/* Experts that were read on a guess evict others too. */
	to->fills += misses > gone ? misses - gone : 0;
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of generated tokens; a pass has one of a sequence. */
static int
spread(struct trace_summary *s, struct k3_err *err)
{
	const struct k3_run *run = s->run;
	double *each = calloc(run->npass + 1, sizeof(*each));
	size_t n = 0;

	if (each == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for %zu passes", run->npass);
	for (size_t i = 0; i < run->npass; i++)
		if (run->pass[i].kind == 'd')
			each[n++] = run->pass[i].part.seconds.wall;
	qsort(each, n, sizeof(*each), compare);
	if (n > 0) {
		s->median = (each[n / 2] + each[(n - 1) / 2]) / 2;
		s->slowest = each[n - 1];
	}
	free(each);
	return 0;
}

int
trace_report_sum(struct trace_summary *s, const struct k3_run *run,
    struct k3_err *err)
{
	const struct k3_run_counters *c = &run->total.counters;

	memset(s, 0, sizeof(*s));
	s->run = run;
	s->full = c->evictions > 0 || c->bypassed > 0;
	for (size_t i = 0; i < run->npass; i++) {
		const struct k3_run_pass *p = &run->pass[i];
		bool prompt = p->kind == 'p';
		bool first = i == 0 || p[-1].kind != 'p' ||
			     p[-1].sequence != p->sequence;

		add(prompt ? &s->prompt : &s->generated, &p->part, p->n);
		s->sequences += prompt && first;
	}
	add(&s->all, &run->total, 0);
	s->all.passes = (double)run->npass;
	s->all.tokens = s->prompt.tokens + s->generated.tokens;
	s->prompt.depth = trace_ratio(s->prompt.depth, s->prompt.busy);
	s->generated.depth = trace_ratio(s->generated.depth, s->generated.busy);
	s->all.depth = trace_ratio(s->all.depth, s->all.busy);
	return spread(s, err);
}
