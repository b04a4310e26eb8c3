/*
 * bench-targets.c - what is to be reached, beside what was
 */
#include <stdarg.h>
#include <stdio.h>

#include "tests/bench.h"

void
bench_target(struct bench *b, double reached, double target, bool most,
    const char *fmt, ...)
{
	struct bench_target *t = &b->target[b->ntarget];
	va_list ap;

	if (b->ntarget == BENCH_TARGETS)
		return;
	b->ntarget++;
	t->reached = reached;
	t->target = target;
	t->most = most;
	va_start(ap, fmt);
	vsnprintf(t->what, sizeof(t->what), fmt, ap);
	va_end(ap);
}

void
bench_targets(const struct bench *b)
{
	if (b->ntarget == 0)
		return;
	printf("TARGETS  medians of %d; a ratio compares what was taken in the "
	       "same round\n%-47s %9s %9s\n",
	    BENCH_ROUNDS, "", "reached", "target");
	for (unsigned i = 0; i < b->ntarget; i++) {
		const struct bench_target *t = &b->target[i];
		bool good =
		    t->most ? t->reached <= t->target : t->reached >= t->target;

		printf("%-47s %9.2f %s %6.2f  %s\n", t->what, t->reached,
		    t->most ? "<=" : ">=", t->target,
		    good ? "reached" : "MISSED");
	}
	putchar('\n');
}
