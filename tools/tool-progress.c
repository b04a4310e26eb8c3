/*
 * tool-progress.c - what, how far, at which rate, and how long still
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/tool-progress.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

/* Seconds between two lines, on a terminal and elsewhere. */
#define LIVE 0.25
#define DULL 120.0

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void
tool_progress_init(struct tool_progress *p, uint64_t total, bool quiet,
    bool verbose)
{
	memset(p, 0, sizeof(*p));
	p->what = "";
	p->total = total;
	p->live = !quiet && isatty(STDERR_FILENO);
	p->verbose = verbose;
	p->start = now();
	p->next = p->start + (p->live ? LIVE : DULL);
}

static void
line(const struct tool_progress *p, double t)
{
	double spent = t - p->start;
	double rate = spent > 0 ? (double)p->done / spent : 0;
	double left = rate > 0 ? (double)(p->total - p->done) / rate : 0;
	uint64_t min = (uint64_t)(left / 60);

	fprintf(stderr,
	    "%s: %.2f of %.2f GB, %.2f GB/s, %" PRIu64 " min %.0f s left",
	    p->what, (double)p->done / 1e9, (double)p->total / 1e9, rate / 1e9,
	    min, left - 60 * (double)min);
}

void
tool_progress_add(struct tool_progress *p, size_t bytes)
{
	bool asked = tool_signal_report();
	double t;

	p->done += bytes;
	if (p->done > p->total)
		p->total = p->done;
	if (!asked && !p->live && !p->verbose)
		return;
	t = now();
	if (!asked && t < p->next)
		return;
	p->next = t + (p->live ? LIVE : DULL);
	tool_progress_clear(p);
	line(p, t);
	p->shown = p->live && !asked;
	if (!p->shown)
		fputc('\n', stderr);
}

void
tool_progress_clear(struct tool_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
