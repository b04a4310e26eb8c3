/*
 * bench-check.c - what it costs to look for numbers that are not finite
 *
 * A product as common/linear.c runs it, and the same without the look.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "common/linear.h"
#include "tests/bench.h"

/* KDA's q, k, v and g. */
#define ROWS 12288
#define N    7168

#define MOST  64
#define BYTES ((size_t)2 * ROWS * N)

struct entrant {
	struct k3_pass pass;
	struct k3_product product;
	const uint8_t *pool;
	size_t at;
};

static void
next(struct entrant *e)
{
	e->at = e->at + 2 * BYTES > BENCH_POOL ? 0 : e->at + BYTES;
	e->product.m.w = e->pool + e->at;
}

static void
looked(void *arg)
{
	struct entrant *e = arg;
	struct k3_err bad;

	next(e);
	if (k3_products(&e->pass, &e->product, 1, &bad) != 0)
		errx(bad.code, "%s", bad.msg);
}

static void
part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct k3_product *p = arg;
	struct k3_mul m = p->m;

	(void)thread;
	m.w += begin * m.stride;
	m.y += begin;
	m.rows = end - begin;
	p->mul(&m);
}

static void
plain(void *arg)
{
	struct entrant *e = arg;

	next(e);
	k3_par_run(&e->pass.par, ROWS, 16, part, &e->product);
}

void
bench_check(struct bench *b)
{
	static const size_t counts[] = { 1, MOST };
	unsigned threads = b->width[b->nwidth - 1];
	float *x = malloc((size_t)MOST * N * sizeof(*x));
	float *y = malloc((size_t)MOST * ROWS * sizeof(*y));
	struct k3_kern kern;
	struct entrant e = { .pass = { .kern = &kern,
				 .par = *bench_par(threads) },
		.product = { .m = { .stride = (size_t)2 * N,
				 .rows = ROWS,
				 .n = N,
				 .x = x,
				 .ldx = N,
				 .y = y,
				 .ldy = ROWS } },
		.pool = b->pool };

	if (x == NULL || y == NULL)
		err(EX_OSERR, "cannot allocate activations");
	k3_kern_init(&kern, b->cpu);
	e.product.mul = kern.mul_bf16;
	bench_random(x, (size_t)MOST * N, 7);
	if (bench_wants(b, "kernels") || bench_wants(b, "check"))
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			struct bench_turn turn[2] = { { .fn = plain,
							  .arg = &e },
				{ .fn = looked, .arg = &e } };

			e.product.m.tokens = counts[i];
			bench_turns(b, turn, 2);
			bench_target(b,
			    bench_ratio(&turn[1], &turn[0], BENCH_ROUNDS), 1.02,
			    true, "look for not finite, %zu tokens, times",
			    counts[i]);
		}
	free(x);
	free(y);
}
