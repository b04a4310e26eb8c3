/*
 * bench-turns.c - samples taken in turn, and their medians
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/cpu.h"
#include "tests/bench.h"

/* Long enough for the clock, short enough to be often undisturbed. */
#define SAMPLE       0.02
#define SAMPLE_QUICK 0.005
#define CALLS_MOST   4096

const struct k3_par *
bench_par(unsigned threads)
{
	static struct k3_par open[2];
	struct k3_par *par = &open[0];
	struct k3_err err;

	while (par->threads != 0 && par->threads != threads)
		par++;
	if (par->threads == 0 && k3_par_open(par, threads, &err) != 0)
		errx(err.code, "%s", err.msg);
	return par;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
bench_median(struct bench_turn *turn, unsigned n)
{
	double s[BENCH_ROUNDS];

	memcpy(s, turn->second, n * sizeof(*s));
	qsort(s, n, sizeof(*s), by_size);
	turn->median = s[n / 2];
	turn->best = s[0];
	turn->spread = (s[n - 1] - s[0]) / turn->median;
}

double
bench_ratio(const struct bench_turn *a, const struct bench_turn *b, unsigned n)
{
	double s[BENCH_ROUNDS];

	for (unsigned i = 0; i < n; i++)
		s[i] = a->second[i] / b->second[i];
	qsort(s, n, sizeof(*s), by_size);
	return s[n / 2];
}

static double
sample(struct bench_turn *turn)
{
	double start;

	if (turn->before != NULL)
		turn->before(turn->arg);
	start = k3_clock();
	for (unsigned i = 0; i < turn->calls; i++)
		turn->fn(turn->arg);
	return (k3_clock() - start) / turn->calls;
}

void
bench_calibrate(const struct bench *b, struct bench_turn *turn, size_t n)
{
	double least = b->quick ? SAMPLE_QUICK : SAMPLE;

	for (size_t i = 0; i < n; i++) {
		double once, calls;

		turn[i].calls = 1;
		once = sample(&turn[i]);
		calls = once > 0 ? least / once : CALLS_MOST;
		calls = calls < CALLS_MOST ? calls : CALLS_MOST;
		if (turn[i].before == NULL && calls > 1)
			turn[i].calls = (unsigned)calls;
	}
}

void
bench_sample(struct bench_turn *turn, size_t n, unsigned round)
{
	for (size_t i = 0; i < n; i++)
		turn[i].second[round] = sample(&turn[i]);
}

void
bench_turns(const struct bench *b, struct bench_turn *turn, size_t n)
{
	bench_calibrate(b, turn, n);
	for (unsigned r = 0; r < BENCH_ROUNDS; r++)
		bench_sample(turn, n, r);
	for (size_t i = 0; i < n; i++)
		bench_median(&turn[i], BENCH_ROUNDS);
}

unsigned
bench_levels(const struct bench *b, struct bench_level *level)
{
	static const unsigned mask[BENCH_LEVELS] = { 0, K3_CPU_AVX2,
		K3_CPU_AVX2 | K3_CPU_AVX512, K3_CPU_NEON };
	unsigned n = 0;

	for (unsigned i = 0; i < BENCH_LEVELS; i++) {
		if ((mask[i] & ~b->cpu) != 0)
			continue;
		level[n].cpu = mask[i];
		level[n].name = k3_cpu_name(mask[i]);
		k3_kern_init(&level[n].kern, mask[i]);
		n++;
	}
	return n;
}

void
bench_random(float *x, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		x[i] = (float)(int32_t)seed * 0x1p-31f;
	}
}
