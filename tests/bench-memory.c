/*
 * bench-memory.c - does k3-decode stay under its budget?
 *
 * The peak is the kernel's VmHWM, from the run's report.  A prompt fills the
 * chunk, so that what is planned is touched.  This section decides bench's
 * exit status: a peak above the budget is a failure, as is a refusal of what
 * the plan calls enough.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/json.h"
#include "common/mem.h"
#include "common/plan.h"
#include "tests/bench.h"

/* k3-decode's own least context, for the least budget. */
#define CONTEXT 4096

struct model {
	const char *dir, *name;
	uint64_t bytes; /* of all files */
	uint64_t least; /* the smallest budget that a plan takes */
	unsigned prompt, chunk;
};

void
bench_ask(const struct bench *b, uint32_t chunk, struct k3_plan_ask *ask)
{
	*ask = (struct k3_plan_ask){ .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.files = CONTEXT * sizeof(uint32_t), /* a prompt's IDs */
		.context = CONTEXT,
		.chunk = chunk,
		.sequences = 1,
		.threads = b->width[b->nwidth - 1] };
}

bool
bench_budget(const struct bench *b, const char *dir, uint32_t chunk,
    uint64_t *bytes, uint64_t *least)
{
	static struct k3_cfg cfg;
	static struct k3_plan plan;
	struct k3_plan_ask ask;
	struct k3_st *st;
	struct k3_err e;

	if (k3_cfg_load(&cfg, dir, &e) != 0 ||
	    (st = k3_st_open(dir, &cfg, &e)) == NULL) {
		warnx("%s", e.msg);
		return false;
	}
	*bytes = k3_st_bytes(st);
	bench_ask(b, chunk, &ask);
	/* No plan fits into nothing: what it says is needed is the least. */
	k3_plan_make(&plan, &cfg, st, &ask, &e);
	*least = plan.total;
	k3_st_close(st);
	return true;
}

/* The peak of a run under 'budget', and its wall seconds; 0: it failed. */
static uint64_t
peak(const struct bench *b, const struct model *m, uint64_t budget,
    double *seconds)
{
	struct k3_json *json =
	    bench_decode(b, m->dir, budget, m->chunk, m->prompt);
	const struct k3_json *total = k3_json_get(json, "total");
	uint64_t bytes;

	*seconds =
	    k3_json_real(k3_json_get(k3_json_get(total, "seconds"), "wall"));
	bytes = (uint64_t)k3_json_int(k3_json_get(json, "peak_bytes"));
	k3_json_free(json);
	return bytes;
}

static void
row(struct bench *b, const struct model *m, const char *what, uint64_t budget)
{
	uint64_t bytes;
	double seconds;

	if (budget > k3_mem_available()) {
		printf("%-8s %-10s %10.1f  skipped: %.1f are free\n", m->name,
		    what, (double)budget / 1e6,
		    (double)k3_mem_available() / 1e6);
		return;
	}
	bytes = peak(b, m, budget, &seconds);
	printf("%-8s %-10s %10.1f %10.1f %9.1f%% %9.1f  %s\n", m->name, what,
	    (double)budget / 1e6, (double)bytes / 1e6,
	    100 * (double)bytes / (double)budget, seconds,
	    bytes == 0        ? "FAILED"
	    : bytes <= budget ? "under"
			      : "OVER");
	b->failed |= bytes == 0 || bytes > budget;
}

/* The least, and parts of the model where they are more. */
static void
budgets(struct bench *b, struct model *m)
{
	static const struct {
		const char *what;
		unsigned quarters;
	} part[] = { { "a quarter", 1 }, { "half", 2 }, { "all", 4 },
		{ "more", 5 } };

	if (!bench_budget(b, m->dir, m->chunk, &m->bytes, &m->least))
		return;
	row(b, m, "least", m->least);
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		uint64_t budget = m->bytes / 4 * part[i].quarters;

		if (budget > m->least)
			row(b, m, part[i].what, budget);
	}
}

void
bench_memory(struct bench *b)
{
	struct model big = { b->big, "big", 0, 0, 300, 0 };
	struct model slice = { NULL, "slice", 0, 0, 64, 64 };

	if (b->decode == NULL) {
		printf("MEMORY  skipped: no --decode\n");
		return;
	}
	printf("MEMORY  peak of k3-decode -r BUDGET, in MB of 1e6 bytes\n"
	       "%-8s %-10s %10s %10s %10s %9s\n",
	    "model", "budget", "MB", "peak MB", "of it", "seconds");
	if (b->big != NULL)
		budgets(b, &big);
	slice.dir = bench_find_slice(b, "slice");
	if (slice.dir != NULL)
		budgets(b, &slice);
}
