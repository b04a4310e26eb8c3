/*
 * bench-machine.c - what this machine can do: memory reads and FMAs
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/cpu.h"
#include "tests/bench.h"

/* A sample of reads; the next one goes to another part of the pool. */
#define WINDOW ((size_t)64 << 20)

/* Parts that threads take are a multiple of this. */
#define GRAIN 4096

/*
 * FMAs of a thread in a call, in so many parts: a thread that comes late must
 * not cost a whole share.
 */
#define FMAS  ((size_t)BENCH_FMA_UNIT << 19)
#define PARTS 64

static const struct {
	const char *name;
	unsigned cpu;
	bench_read_fn *read;
	bench_fma_fn *fma;
} peak[] = {
	{ "plain C", 0, bench_read_plain, bench_fma_plain },
#if defined(__x86_64__)
	{ "avx2", K3_CPU_AVX2, bench_read_avx2, bench_fma_avx2 },
	{ "avx512", K3_CPU_AVX512, bench_read_avx512, bench_fma_avx512 },
#endif
};

#define NPEAK (sizeof(peak) / sizeof(peak[0]))

/* Results go here, so that the work is not dropped. */
static volatile uint64_t sink_read[K3_MAX_THREADS];
static volatile float sink_fma[K3_MAX_THREADS];

static void
read_part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct bench_ref *ref = arg;
	bench_read_fn *read = peak[ref->level].read;

	sink_read[thread] = read(ref->b->pool + ref->at + begin, end - begin);
}

static void
read_window(void *arg)
{
	struct bench_ref *ref = arg;

	k3_par_run(bench_par(ref->threads), WINDOW, GRAIN, read_part, ref);
	ref->at = (ref->at + WINDOW) % BENCH_POOL;
}

static void
fma_part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct bench_ref *ref = arg;

	sink_fma[thread] = peak[ref->level].fma((end - begin) * (FMAS / PARTS));
}

static void
fma_all(void *arg)
{
	struct bench_ref *ref = arg;

	k3_par_run(bench_par(ref->threads), (size_t)ref->threads * PARTS, 1,
	    fma_part, ref);
}

/* The references of one level, by width: reads, then FMAs. */
static void
fill(struct bench *b, struct bench_refs *refs, struct bench_turn *turn,
    unsigned level)
{
	refs->turn = turn;
	for (unsigned i = 0; i < b->nwidth; i++) {
		struct bench_ref ref = { b, level, b->width[i],
			i * BENCH_POOL / 2 };

		refs->read[i] = refs->fma[i] = ref;
		turn[i].fn = read_window;
		turn[i].arg = &refs->read[i];
		turn[b->nwidth + i].fn = fma_all;
		turn[b->nwidth + i].arg = &refs->fma[i];
	}
}

unsigned
bench_refs(struct bench *b, struct bench_refs *refs, struct bench_turn *turn)
{
	unsigned level = 0;

	for (unsigned i = 0; i < NPEAK; i++)
		if ((peak[i].cpu & ~b->cpu) == 0)
			level = i;
	fill(b, refs, turn, level);
	return 2 * b->nwidth;
}

double
bench_read(const struct bench_refs *refs, unsigned threads)
{
	return (double)WINDOW / refs->turn[threads > 1].median;
}

double
bench_fma(const struct bench_refs *refs, unsigned threads)
{
	const struct bench *b = refs->read[0].b;

	return 2.0 * (double)FMAS * threads /
	       refs->turn[b->nwidth + (threads > 1)].median;
}

double
bench_of_read(const struct bench_refs *refs, unsigned threads,
    const struct bench_turn *turn, double amount, unsigned n)
{
	return amount / (double)WINDOW *
	       bench_ratio(&refs->turn[threads > 1], turn, n);
}

double
bench_of_fma(const struct bench_refs *refs, unsigned threads,
    const struct bench_turn *turn, double amount, unsigned n)
{
	const struct bench *b = refs->read[0].b;

	return amount / (2.0 * (double)FMAS * threads) *
	       bench_ratio(&refs->turn[b->nwidth + (threads > 1)], turn, n);
}

static void
row(const char *what, const char *level, const struct bench_turn *turn,
    unsigned n, const double *amount)
{
	printf("%-14s %-8s", what, level);
	for (unsigned i = 0; i < n; i++)
		printf(" %10.1f (%6.1f) %5.0f%%",
		    amount[i] / turn[i].median / 1e9,
		    amount[i] / turn[i].best / 1e9, 100 * turn[i].spread);
	putchar('\n');
}

void
bench_machine(struct bench *b)
{
	struct bench_turn turn[4 * NPEAK] = { 0 };
	struct bench_refs refs[NPEAK];
	unsigned n = 2 * b->nwidth, nlevel = 0;
	double load = 0, bytes[2], flops[2];

	for (unsigned i = 0; i < NPEAK; i++)
		if ((peak[i].cpu & ~b->cpu) == 0) {
			fill(b, &refs[nlevel], turn + nlevel * n, i);
			nlevel++;
		}
	bench_turns(b, turn, nlevel * n);
	getloadavg(&load, 1);
	printf("MACHINE  CPU level %s, %u threads, load average %.1f; "
	       "median of %d (best) spread\n",
	    k3_cpu_name(b->cpu), b->width[b->nwidth - 1], load, BENCH_ROUNDS);
	printf("%-14s %-8s", "", "level");
	for (unsigned i = 0; i < b->nwidth; i++) {
		printf(" %15u thread%s ", b->width[i],
		    b->width[i] > 1 ? "s" : " ");
		bytes[i] = (double)WINDOW;
		flops[i] = 2.0 * (double)FMAS * b->width[i];
	}
	putchar('\n');
	for (unsigned i = 0; i < nlevel; i++)
		row("read, GB/s", peak[refs[i].read[0].level].name,
		    turn + i * n, b->nwidth, bytes);
	for (unsigned i = 0; i < nlevel; i++)
		row("FMA, GFLOP/s", peak[refs[i].read[0].level].name,
		    turn + i * n + b->nwidth, b->nwidth, flops);
	putchar('\n');
}
