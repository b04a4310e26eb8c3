/*
 * linear.c - products side by side are those that each would be alone
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/linear.h"
#include "tests/tap.h"

#define N      500
#define TOKENS 3
#define LISTED 5
#define MOST   1111

/* The third goes with another of its size. */
static const size_t rows[LISTED] = { 1111, 17, 640, 0, 96 };

static float w[LISTED + 1][MOST * N], x[TOKENS * N];
static float y[LISTED + 1][TOKENS * MOST], want[LISTED + 1][TOKENS * MOST];
static struct k3_kern kern;

static float
random_float(void)
{
	static uint32_t seed = 1;

	seed = seed * 1664525u + 1013904223u;
	return (float)(int32_t)seed * 0x1p-31f;
}

/* Something that shows a range that is missed or done twice. */
static void
combine(const struct k3_product *p, size_t begin, size_t end)
{
	for (size_t t = 0; t < p->m.tokens; t++)
		for (size_t r = begin; r < end; r++)
			p->m.y[t * p->m.ldy + r] +=
			    2 * p->with->m.y[t * p->m.ldy + r];
}

static struct k3_product
product(size_t i, float *out)
{
	size_t n = rows[i < LISTED ? i : 2];
	struct k3_product p = { .mul = kern.mul_f32,
		.m = { .w = (const uint8_t *)w[i],
		    .stride = N * sizeof(float),
		    .rows = n,
		    .n = N,
		    .x = x,
		    .tokens = TOKENS,
		    .ldx = N,
		    .ldy = n,
		    .y = out } };

	snprintf(p.name, sizeof(p.name), "product %zu", i);
	return p;
}

static int
run(const struct k3_pass *pass, struct k3_err *err)
{
	struct k3_product list[LISTED], with = product(LISTED, y[LISTED]);

	for (size_t i = 0; i < LISTED; i++)
		list[i] = product(i, y[i]);
	list[2].with = &with;
	list[2].then = combine;
	memset(y, 0, sizeof(y));
	return k3_products(pass, list, LISTED, err);
}

/* Each row of each product, made infinite, is noticed and named. */
static void
infinite(const struct k3_pass *pass)
{
	struct k3_err err;

	for (size_t i = 0; i <= LISTED; i++) {
		size_t n = rows[i < LISTED ? i : 2], missed = 0;
		char name[16];

		snprintf(name, sizeof(name), "'product %zu'", i);
		for (size_t r = 0; r < n; r += r % 16 == 15 ? 64 : 1) {
			float was = w[i][r * N + 3];

			w[i][r * N + 3] = INFINITY;
			missed += run(pass, &err) == 0 ||
				  err.code != EX_DATAERR ||
				  strncmp(err.msg, name, strlen(name)) != 0;
			w[i][r * N + 3] = was;
		}
		ok(missed == 0, "an infinite row of %s is noticed, on %u", name,
		    pass->par.threads);
	}
}

int
main(void)
{
	static const unsigned threads[] = { 1, 2, 5 };
	struct k3_err err;

	k3_kern_init(&kern, k3_cpu_detect());
	for (size_t i = 0; i < sizeof(w) / sizeof(w[0][0]); i++)
		w[i / (MOST * N)][i % (MOST * N)] = random_float();
	for (size_t i = 0; i < TOKENS * N; i++)
		x[i] = random_float();
	for (size_t i = 0; i <= LISTED; i++) {
		struct k3_product p = product(i, want[i]);

		p.mul(&p.m);
	}
	for (size_t i = 0; i < TOKENS * rows[2]; i++)
		want[2][i] += 2 * want[LISTED][i];
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct k3_pass pass = { .kern = &kern };

		if (k3_par_open(&pass.par, threads[i], &err) != 0)
			return 1;
		ok(run(&pass, &err) == 0 && memcmp(y, want, sizeof(y)) == 0,
		    "all of them at once, on %u threads", threads[i]);
		infinite(&pass);
		k3_par_close(&pass.par);
	}
	return tap_done();
}
