/*
 * measure.c - how fast this machine multiplies
 *
 * The matrix is many times as large as caches are, as a model's are together.
 * The fastest round counts: others were disturbed.
 */
#include <string.h>

#include "common/clock.h"
#include "common/measure.h"
#include "common/mem.h"
#include "common/par.h"
#include "kernels/kernels.h"

#define N      ((size_t)4096)
#define ROWS   ((size_t)16384)
#define BLOCK  ((size_t)1024) /* rows of a round with many tokens */
#define TOKENS ((size_t)64)
#define BYTES  ((uint64_t)ROWS * N * 2)

/* Seconds of rounds, of each kind. */
#define LONG 0.2

/* Any two bytes of it are 0.0115: the time depends on no value. */
#define FILL 0x3c

struct measure {
	struct k3_par par;
	struct k3_mul m;
	k3_mul_fn *mul;
	uint8_t *w;
	float *x, *y;
};

static void
fill(void *arg, size_t begin, size_t end, unsigned thread)
{
	struct measure *me = arg;

	(void)thread;
	memset(me->w + begin * N * 2, FILL, (end - begin) * N * 2);
}

static void
multiply(void *arg, size_t begin, size_t end, unsigned thread)
{
	struct measure *me = arg;
	struct k3_mul m = me->m;

	(void)thread;
	m.w += begin * m.stride;
	m.y += begin;
	m.rows = end - begin;
	me->mul(&m);
}

/* Seconds of a product of 'rows' rows, from one on, with 'tokens'. */
static double
product(struct measure *me, size_t from, size_t rows, size_t tokens)
{
	double start = k3_clock();

	me->m = (struct k3_mul){ .w = me->w + from * N * 2,
		.stride = N * 2,
		.rows = rows,
		.n = N,
		.x = me->x,
		.tokens = tokens,
		.ldx = N,
		.ldy = rows,
		.y = me->y };
	k3_par_run(&me->par, rows, 64, multiply, me);
	return k3_clock() - start;
}

/* The least seconds of such a product, at least two of which are made. */
static double
fastest(struct measure *me, size_t rows, size_t tokens)
{
	double best = product(me, 0, rows, tokens), used = 0, took;
	size_t from = 0;

	do {
		from = from + 2 * rows <= ROWS ? from + rows : 0;
		took = product(me, from, rows, tokens);
		best = took < best ? took : best;
		used += took;
	} while (used < LONG);
	return best > 1e-9 ? best : 1e-9;
}

int
k3_measure(struct k3_speed *speed, unsigned threads, unsigned cpu,
    struct k3_err *err)
{
	uint64_t nx = TOKENS * N * sizeof(float);
	uint64_t ny = TOKENS * BLOCK * sizeof(float);
	struct measure me = { 0 };
	struct k3_kern kern;
	int status = -1;

	k3_kern_init(&kern, cpu);
	me.mul = kern.mul_bf16;
	if (k3_par_open(&me.par, threads, err) != 0)
		return -1;
	if ((me.w = k3_mem_alloc(BYTES, "weights", err)) != NULL &&
	    (me.x = k3_mem_alloc(nx, "activations", err)) != NULL &&
	    (me.y = k3_mem_alloc(ny, "results", err)) != NULL) {
		k3_par_run(&me.par, ROWS, 64, fill, &me);
		memset(me.x, FILL, nx);
		speed->memory = (double)BYTES / fastest(&me, ROWS, 1);
		speed->flops = 2.0 * (double)(BLOCK * N * TOKENS) /
			       fastest(&me, BLOCK, TOKENS);
		status = 0;
	}
	k3_mem_free(me.y, ny);
	k3_mem_free(me.x, nx);
	k3_mem_free(me.w, BYTES);
	k3_par_close(&me.par);
	return status;
}
