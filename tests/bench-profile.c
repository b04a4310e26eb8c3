/*
 * bench-profile.c - where the threads of a pass spend their time
 *
 * Kernels are called through a table, so a clock can be put around them.
 * Products are told apart by the width of their input.  What is left is
 * everything else: waiting for each other, and what is not in a kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/par.h"
#include "tests/bench.h"

#define MOST 32

struct entry {
	const char *name;
	size_t n; /* a product's width, or 0 */
	double seconds;
	unsigned long calls;
};

/* Of one thread, so that none waits. */
struct account {
	_Alignas(64) struct entry entry[MOST];
	unsigned used;
};

static struct account account[2 * K3_MAX_THREADS];
static unsigned naccount;
static _Thread_local struct account *mine;
static struct k3_kern real;

static struct entry *
find(struct account *a, const char *name, size_t n)
{
	unsigned i = 0;

	while (i < a->used &&
	       (a->entry[i].n != n || strcmp(a->entry[i].name, name) != 0))
		i++;
	if (i == MOST)
		abort();
	if (i == a->used) {
		a->entry[i].name = name;
		a->entry[i].n = n;
		a->used++;
	}
	return &a->entry[i];
}

static void
book(const char *name, size_t n, double start)
{
	double now = k3_clock();
	struct entry *e;

	if (mine == NULL)
		mine = &account[__atomic_fetch_add(&naccount, 1,
		    __ATOMIC_RELAXED)];
	e = find(mine, name, n);
	e->seconds += now - start;
	e->calls++;
}

static void
mul_f32(const struct k3_mul *m)
{
	double start = k3_clock();

	real.mul_f32(m);
	book("mul_f32", m->n, start);
}

static void
mul_bf16(const struct k3_mul *m)
{
	double start = k3_clock();

	real.mul_bf16(m);
	book("mul_bf16", m->n, start);
}

static void
mul_mxfp4(const struct k3_mul *m)
{
	double start = k3_clock();

	real.mul_mxfp4(m);
	book("mul_mxfp4", m->n, start);
}

static void
tmul_f32(const struct k3_mul *m)
{
	double start = k3_clock();

	real.tmul_f32(m);
	book("tmul_f32", m->n, start);
}

static void
tmul_bf16(const struct k3_mul *m)
{
	double start = k3_clock();

	real.tmul_bf16(m);
	book("tmul_bf16", m->n, start);
}

static void
situ(float *a, const float *b, size_t n, float b1, float b2)
{
	double start = k3_clock();

	real.situ(a, b, n, b1, b2);
	book("situ", 0, start);
}

static void
gate(float *o, const float *g, size_t n)
{
	double start = k3_clock();

	real.gate(o, g, n);
	book("gate", 0, start);
}

static void
axpy(float *y, const float *x, size_t n, float a)
{
	double start = k3_clock();

	real.axpy(y, x, n, a);
	book("axpy", 0, start);
}

static void
conv(float *y, const float *const in[K3_TAPS], const float *w, size_t n)
{
	double start = k3_clock();

	real.conv(y, in, w, n);
	book("conv", 0, start);
}

static void
decay(float *f, const float *bias, size_t n, float a, float lower)
{
	double start = k3_clock();

	real.decay(f, bias, n, a, lower);
	book("decay", 0, start);
}

static void
kda(const struct k3_kda *a)
{
	double start = k3_clock();

	real.kda(a);
	book("kda", 0, start);
}

static void
softmax(const struct k3_softmax *a)
{
	double start = k3_clock();

	real.softmax(a);
	book("softmax", 0, start);
}

void
bench_profile(struct k3_kern *kern)
{
	real = *kern;
	kern->mul_f32 = mul_f32;
	kern->mul_bf16 = mul_bf16;
	kern->mul_mxfp4 = mul_mxfp4;
	kern->tmul_f32 = tmul_f32;
	kern->tmul_bf16 = tmul_bf16;
	kern->situ = situ;
	kern->gate = gate;
	kern->axpy = axpy;
	kern->conv = conv;
	kern->decay = decay;
	kern->kda = kda;
	kern->softmax = softmax;
}

void
bench_profile_reset(void)
{
	memset(account, 0, sizeof(account));
}

static int
by_seconds(const void *a, const void *b)
{
	double x = ((const struct entry *)a)->seconds;
	double y = ((const struct entry *)b)->seconds;

	return (x < y) - (x > y);
}

void
bench_profile_print(unsigned passes, double seconds)
{
	static struct account all;
	double other = seconds;

	memset(&all, 0, sizeof(all));
	for (unsigned i = 0; i < naccount; i++)
		for (unsigned k = 0; k < account[i].used; k++) {
			const struct entry *e = &account[i].entry[k];
			struct entry *to = find(&all, e->name, e->n);

			to->seconds += e->seconds;
			to->calls += e->calls;
			other -= e->seconds;
		}
	qsort(all.entry, all.used, sizeof(*all.entry), by_seconds);
	printf("  %-10s %6s %10s %6s %8s   of all threads' time\n", "kernel",
	    "n", "ms a pass", "", "calls");
	for (unsigned i = 0; i < all.used; i++) {
		const struct entry *e = &all.entry[i];

		if (e->seconds > 0.0005 * seconds)
			printf("  %-10s %6zu %10.2f %5.1f%% %8lu\n", e->name,
			    e->n, 1e3 * e->seconds / passes,
			    100 * e->seconds / seconds, e->calls / passes);
	}
	printf("  %-10s %6s %10.2f %5.1f%%\n", "other", "",
	    1e3 * other / passes, 100 * other / seconds);
}
