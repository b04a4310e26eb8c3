/*
 * trace-report.h - what a run report comes to
 *
 *	report-sum	adds up
 *	report-advise	what to change next, with
 *	report-memory	rules about memory
 *	report-show	prints
 *	report		options, JSON
 */
#ifndef K3_TOOLS_TRACE_REPORT_H
#define K3_TOOLS_TRACE_REPORT_H

#include "common/run.h"

/* Of some passes; sums are doubles, as they may be beyond 64 bits. */
struct trace_sum {
	double passes, tokens;
	struct k3_run_seconds seconds;
	double trunk_bytes, expert_bytes, read_bytes, busy, depth;
	double demands, hits, fills; /* misses while the cache had room */
};

struct trace_summary {
	const struct k3_run *run;
	struct trace_sum prompt, generated, all;
	double median, slowest; /* seconds a generated token; 0: none */
	double sequences;       /* that had a prompt */
	bool full;              /* did the cache ever have to turn one away? */
};

/* 0, or -1 with EX_OSERR. */
int trace_report_sum(struct trace_summary *s, const struct k3_run *run,
    struct k3_err *err);

struct trace_advice {
	const char *rule; /* its name in k3-trace-report(1) */
	char text[512];
};

void trace_report_advise(struct trace_advice *a, const struct trace_summary *s);

/* Print it on standard output. */
void trace_report_show(const struct trace_summary *s,
    const struct trace_advice *a);

/* a / b, or 0 where that is no number; a share is 1 at most. */
double trace_ratio(double a, double b);
double trace_share(double a, double b);

#endif
