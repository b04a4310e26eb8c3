/*
 * run.c - any bytes as a run report
 *
 * What is accepted must keep run.h's word: no reader looks again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
	if (!holds)
		abort();
}

static void
check_text(const char *text, size_t size)
{
	const char *end = memchr(text, '\0', size);

	must(end != NULL);
	for (; text < end; text++)
		must(*text >= ' ' && *text <= '~');
}

static void
check_part(const struct k3_run_part *part)
{
	const struct k3_run_seconds *s = &part->seconds;
	const struct k3_run_counters *c = &part->counters;
	const double real[] = { s->wall, s->compute, s->trunk_wait,
		s->expert_wait, s->other, part->reads.busy, part->reads.depth };

	for (size_t i = 0; i < sizeof(real) / sizeof(*real); i++)
		must(real[i] >= 0 && real[i] <= K3_RUN_MAX_SECONDS);
	must(fabs(s->wall - s->compute - s->trunk_wait - s->expert_wait -
		  s->other) <= 2e-6 + 2e-9 * s->wall);
	must(c->hits + c->misses == c->demands);
	must(c->trunk_bytes <= K3_RUN_MAX_WHOLE &&
	     c->expert_bytes <= K3_RUN_MAX_WHOLE &&
	     part->reads.bytes <= K3_RUN_MAX_WHOLE);
}

static void
check(const struct k3_run *run)
{
	uint32_t sum = 0;

	check_text(run->tool, sizeof(run->tool));
	check_text(run->version, sizeof(run->version));
	check_text(run->cpu, sizeof(run->cpu));
	check_text(run->io, sizeof(run->io));
	must(strlen(run->fingerprint) == 32);
	for (size_t i = 0; i < run->nargument; i++)
		must(run->argument[i] != NULL);
	check_part(&run->total);
	for (size_t i = 0; i < run->npass; i++) {
		must(run->pass[i].kind == 'p' || run->pass[i].kind == 'd');
		check_part(&run->pass[i].part);
		for (size_t j = 0; j < run->pass[i].n; j++)
			sum += run->pass[i].ids[j];
	}
	must(sum != 1 || run->npass > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct k3_run run;
	struct k3_err err = { .msg = "" };

	if (k3_run_parse(&run, (const char *)data, size, "fuzz", &err) == 0) {
		check(&run);
		k3_run_free(&run);
	} else {
		must(err.code == EX_DATAERR && *err.msg != '\0' &&
		     strchr(err.msg, '\n') == NULL);
	}
	return 0;
}
