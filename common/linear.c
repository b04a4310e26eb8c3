/*
 * linear.c - stored matrices and vectors of the layer in work
 *
 * Threads take ranges of rows, so that each reads its part of the weights
 * once, for all tokens.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/linear.h"

/*
 * Ranges are a multiple of so many rows, for kernels that work on several;
 * half as many where two products go together.
 */
#define ROWS 16

#define LANES 16

struct job {
	const struct k3_product *list;
	size_t n;
	size_t from[K3_PRODUCTS];     /* where each begins among all items */
	uint32_t bad[K3_MAX_THREADS]; /* bits of products: see bit() */
};

/* The bit of product 'i', or of what it goes with. */
static uint32_t
bit(size_t i, bool with)
{
	return (uint32_t)1 << (2 * i + with);
}

/* An exponent of all ones: infinite, or not a number. */
static bool
not_finite(const float *y, size_t n)
{
	uint32_t bits[LANES], bad[LANES] = { 0 }, any = 0;

	/* So many at a time that a compiler makes vectors of it. */
	for (; n >= LANES; n -= LANES, y += LANES) {
		memcpy(bits, y, sizeof(bits));
		for (size_t k = 0; k < LANES; k++)
			bad[k] |= (bits[k] & 0x7f800000u) == 0x7f800000u;
	}
	for (size_t k = 0; k < n; k++) {
		memcpy(bits, y + k, sizeof(*bits));
		any |= (bits[0] & 0x7f800000u) == 0x7f800000u;
	}
	for (size_t k = 0; k < LANES; k++)
		any |= bad[k];
	return any != 0;
}

/* Rows [begin, end) of one product; are all finite? */
static bool
multiply(const struct k3_product *p, size_t begin, size_t end)
{
	struct k3_mul m = p->m;
	bool good = true;

	m.w += begin * m.stride;
	if (m.scale != NULL)
		m.scale += begin * m.scale_stride;
	m.y += begin;
	m.rows = end - begin;
	p->mul(&m);
	for (size_t t = 0; t < m.tokens; t++)
		good = good && !not_finite(m.y + t * m.ldy, m.rows);
	return good;
}

/* Items of a product: its rows, twice as many if it goes with another. */
static size_t
items(const struct k3_product *p)
{
	return p->m.rows * (p->with != NULL ? 2 : 1);
}

/* A range of all items, which may be parts of several products. */
static void
work(void *arg, size_t begin, size_t end, unsigned thread)
{
	struct job *job = arg;

	for (size_t i = 0; i < job->n && job->from[i] < end; i++) {
		const struct k3_product *p = &job->list[i];
		size_t at = job->from[i], past = at + items(p);
		size_t row = begin > at ? begin - at : 0;
		size_t stop = (end < past ? end : past) - at;

		if (p->with != NULL) {
			row /= 2;
			stop /= 2;
		}
		if (row >= stop)
			continue;
		if (!multiply(p, row, stop))
			job->bad[thread] |= bit(i, false);
		if (p->with != NULL && !multiply(p->with, row, stop))
			job->bad[thread] |= bit(i, true);
		if (p->then != NULL)
			p->then(p, row, stop);
	}
}

static int
check(const struct job *job, unsigned threads, struct k3_err *err)
{
	uint32_t bad = 0;

	for (unsigned i = 0; i < threads; i++)
		bad |= job->bad[i];
	for (size_t i = 0; bad != 0 && i < job->n; i++) {
		const struct k3_product *p = &job->list[i];

		if ((bad & bit(i, false)) == 0)
			p = p->with;
		if ((bad & (bit(i, false) | bit(i, true))) == 0)
			continue;
		return k3_fail(err, EX_DATAERR,
		    "'%s': the product has a number that is not finite",
		    p->name);
	}
	return 0;
}

int
k3_products(const struct k3_pass *pass, const struct k3_product *list, size_t n,
    struct k3_err *err)
{
	struct job job = { .list = list, .n = n };
	size_t all = 0, grain = 1, least;

	assert(n <= K3_PRODUCTS);
	for (size_t i = 0; i < n; i++) {
		job.from[i] = all;
		all += (items(&list[i]) + ROWS - 1) / ROWS * ROWS;
		least = k3_par_grain(list[i].m.n * list[i].m.tokens);
		grain = least > grain ? least : grain;
	}
	grain = (grain + ROWS - 1) / ROWS * ROWS;
	k3_par_run(&pass->par, all, grain, work, &job);
	return check(&job, pass->par.threads, err);
}

static void
of_weight(const struct k3_pass *pass, struct k3_weight w, const float *x,
    float *y, size_t tokens, struct k3_product *p)
{
	memset(p, 0, sizeof(*p));
	p->mul = w.dtype == K3_F32 ? pass->kern->mul_f32 : pass->kern->mul_bf16;
	p->m.w = w.p;
	p->m.stride = w.n * k3_dtype_size(w.dtype);
	p->m.rows = p->m.ldy = w.rows;
	p->m.n = p->m.ldx = w.n;
	p->m.x = x;
	p->m.tokens = tokens;
	p->m.y = y;
}

int
k3_product(struct k3_pass *pass, enum k3_tensor t, const float *x, float *y,
    size_t tokens, struct k3_product *p, struct k3_err *err)
{
	struct k3_weight w;

	if (k3_trunk_need(pass->trunk, t, &w, err) != 0)
		return -1;
	of_weight(pass, w, x, y, tokens, p);
	k3_tensor_name(pass->layer, t, p->name);
	return 0;
}

void
k3_product_mx(const struct k3_pass *pass, struct k3_mx w, unsigned number,
    enum k3_part part, const float *x, float *y, size_t tokens,
    struct k3_product *p)
{
	memset(p, 0, sizeof(*p));
	p->mul = pass->kern->mul_mxfp4;
	p->m.w = w.w;
	p->m.scale = w.scale;
	p->m.stride = w.n / 2;
	p->m.scale_stride = w.n / K3_MX_BLOCK;
	p->m.rows = p->m.ldy = w.rows;
	p->m.n = p->m.ldx = w.n;
	p->m.x = x;
	p->m.tokens = tokens;
	p->m.y = y;
	k3_part_name(pass->layer, number, part, p->name);
}

int
k3_linear_weight(const struct k3_pass *pass, struct k3_weight w,
    const char *name, const float *x, size_t ldx, float *y, size_t ldy,
    size_t tokens, struct k3_err *err)
{
	struct k3_product p;

	of_weight(pass, w, x, y, tokens, &p);
	p.m.ldx = ldx;
	p.m.ldy = ldy;
	snprintf(p.name, sizeof(p.name), "%s", name);
	return k3_products(pass, &p, 1, err);
}

int
k3_linear(struct k3_pass *pass, enum k3_tensor t, const float *x, float *y,
    size_t tokens, struct k3_err *err)
{
	struct k3_product p;

	if (k3_product(pass, t, x, y, tokens, &p, err) != 0 ||
	    k3_products(pass, &p, 1, err) != 0)
		return -1;
	k3_trunk_done(pass->trunk);
	return 0;
}

const float *
k3_vector_weight(struct k3_pass *pass, struct k3_weight w, const char *name,
    struct k3_err *err)
{
	float *y = k3_scratch_floats(&pass->scratch, w.rows * w.n);

	k3_widen(y, w.p, w.dtype, w.rows * w.n);
	if (!not_finite(y, w.rows * w.n))
		return y;
	k3_fail(err, EX_DATAERR, "'%s': a number that is not finite", name);
	return NULL;
}

const float *
k3_vector(struct k3_pass *pass, enum k3_tensor t, struct k3_err *err)
{
	char name[K3_NAME_MAX];
	struct k3_weight w;

	if (k3_trunk_need(pass->trunk, t, &w, err) != 0)
		return NULL;
	k3_tensor_name(pass->layer, t, name);
	return k3_vector_weight(pass, w, name, err);
}
