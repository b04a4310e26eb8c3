/*
 * tool-progress.c - what, how far, at which rate, and how long still
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tools/tool-progress.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

/* Seconds between two lines, on a terminal and elsewhere. */
#define LIVE 0.25
#define DULL 120.0

void
tool_progress_init(struct tool_progress *p, enum tool_unit unit, uint64_t total,
    bool quiet, bool verbose)
{
	memset(p, 0, sizeof(*p));
	p->what = "";
	p->unit = unit;
	p->total = total;
	p->live = !quiet && isatty(STDERR_FILENO);
	p->verbose = verbose;
	p->start = k3_clock();
	p->next = p->start + (p->live ? LIVE : DULL);
}

static void
tokens(const struct tool_progress *p, double each)
{
	if (p->parts > 1)
		fprintf(stderr, "chunk %" PRIu64 " of %" PRIu64 ", ", p->part,
		    p->parts);
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " tokens", p->done, p->total);
	if (p->done > 0)
		fprintf(stderr, ", %.3g s a token", each);
}

static void
seconds(const struct tool_progress *p)
{
	fprintf(stderr, "%.1f of %.1f s", (double)p->done / 1e3,
	    (double)p->total / 1e3);
}

static void
line(const struct tool_progress *p, double t)
{
	double spent = t - p->start;
	double each = p->done > 0 ? spent / (double)p->done : 0;
	double left = each * (double)(p->total - p->done);
	uint64_t min = (uint64_t)(left / 60);
	bool giga = p->total >= UINT64_C(1000000000);
	double unit = giga ? 1e9 : 1e6;
	char name[TOOL_NAME];

	fprintf(stderr, "%s: ", tool_name(name, p->what));
	if (p->unit == TOOL_BYTES && p->endless)
		fprintf(stderr, "%.2f %s, %.2f %s/s", (double)p->done / unit,
		    giga ? "GB" : "MB", each > 0 ? 1 / each / unit : 0,
		    giga ? "GB" : "MB");
	else if (p->unit == TOOL_BYTES)
		fprintf(stderr, "%.2f of %.2f %s, %.2f %s/s",
		    (double)p->done / unit, (double)p->total / unit,
		    giga ? "GB" : "MB", each > 0 ? 1 / each / unit : 0,
		    giga ? "GB" : "MB");
	else if (p->unit == TOOL_TOKENS)
		tokens(p, each);
	else
		seconds(p);
	if (p->bytes > 0 && spent > 0)
		fprintf(stderr, ", %.3g GB/s", (double)p->bytes / spent / 1e9);
	if (p->done > 0 && !p->endless)
		fprintf(stderr, ", %" PRIu64 " min %.0f s left", min,
		    left - 60 * (double)min);
}

void
tool_progress_add(struct tool_progress *p, uint64_t n)
{
	bool asked = tool_signal_report();
	double t;

	p->done += n;
	if (p->done > p->total)
		p->total = p->done;
	if (!asked && !p->live && !p->verbose)
		return;
	t = k3_clock();
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
