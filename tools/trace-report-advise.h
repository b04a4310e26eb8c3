/*
 * trace-report-advise.h - the rules of k3-trace report
 *
 * A rule looks at a run and says, by its return value, whether it applies; if
 * so, it has said what to do.
 */
#ifndef K3_TOOLS_TRACE_REPORT_ADVISE_H
#define K3_TOOLS_TRACE_REPORT_ADVISE_H

#include "tools/trace-report.h"

/* The part is prompt or generated tokens: what took longer. */
struct trace_look {
	const struct trace_summary *s;
	const struct k3_run *run;
	const struct trace_sum *part;
	double wait;  /* seconds of it */
	double rate;  /* bytes a second while it reads */
	double saved; /* bytes a pass that the cache saves */
	bool capped;  /* was memory limited by an option? */
	char text[512];
};

/* printf() into the advice; true, for rules to return. */
bool trace_say(struct trace_look *k, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The share of the part's time, in per cent. */
double trace_part_percent(const struct trace_look *k, double seconds);

/* Those about memory, in trace-report-memory.c. */
bool trace_rule_division(struct trace_look *k);
bool trace_rule_trunk(struct trace_look *k);
bool trace_rule_cache(struct trace_look *k);
bool trace_rule_first(struct trace_look *k);

/* Does an argument of k3-decode say how much memory there may be? */
bool trace_caps(const char *arg);

#endif
