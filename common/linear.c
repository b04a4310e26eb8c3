/*
 * linear.c - stored matrices and vectors of the layer in work
 *
 * Threads take ranges of rows of the matrix, so that each reads its part of
 * the weights once, for all tokens.
 */
#include <stdbool.h>
#include <string.h>

#include "common/linear.h"

/* Rows of a range are a multiple of this, for kernels that work on several. */
#define ROWS 8

struct job {
	k3_mul_fn *mul;
	const struct k3_mul *m;
	bool bad[K3_MAX_THREADS]; /* a thread has met a number not finite */
};

/* An exponent of all ones: infinite, or not a number. */
static bool
not_finite(const float *y, size_t n)
{
	uint32_t bits, bad = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(&bits, &y[i], sizeof(bits));
		bad |= (bits & 0x7f800000u) == 0x7f800000u;
	}
	return bad != 0;
}

static void
work(void *arg, size_t begin, size_t end, unsigned thread)
{
	struct job *job = arg;
	struct k3_mul m = *job->m;

	m.w += begin * m.stride;
	if (m.scale != NULL)
		m.scale += begin * m.scale_stride;
	m.y += begin;
	m.rows = end - begin;
	job->mul(&m);
	for (size_t t = 0; t < m.tokens; t++)
		job->bad[thread] |= not_finite(m.y + t * m.ldy, m.rows);
}

static int
run(const struct k3_pass *pass, k3_mul_fn *mul, const struct k3_mul *m,
    const char *name, struct k3_err *err)
{
	struct job job = { .mul = mul, .m = m };
	size_t grain = k3_par_grain(m->n * m->tokens);

	grain = (grain + ROWS - 1) / ROWS * ROWS;
	k3_par_run(&pass->par, m->rows, grain, work, &job);
	for (unsigned i = 0; i < pass->par.threads; i++)
		if (job.bad[i])
			return k3_fail(err, EX_DATAERR,
			    "'%s': the product has a number that is not "
			    "finite",
			    name);
	return 0;
}

int
k3_linear_weight(const struct k3_pass *pass, struct k3_weight w,
    const char *name, const float *x, size_t ldx, float *y, size_t ldy,
    size_t tokens, struct k3_err *err)
{
	struct k3_mul m = { .w = w.p,
		.stride = w.n * k3_dtype_size(w.dtype),
		.rows = w.rows,
		.n = w.n,
		.x = x,
		.tokens = tokens,
		.ldx = ldx,
		.y = y,
		.ldy = ldy };

	return run(pass,
	    w.dtype == K3_F32 ? pass->kern->mul_f32 : pass->kern->mul_bf16, &m,
	    name, err);
}

int
k3_linear(struct k3_pass *pass, enum k3_tensor t, const float *x, float *y,
    size_t tokens, struct k3_err *err)
{
	char name[K3_NAME_MAX];
	struct k3_weight w;

	if (k3_trunk_need(pass->trunk, t, &w, err) != 0)
		return -1;
	k3_tensor_name(pass->layer, t, name);
	return k3_linear_weight(pass, w, name, x, w.n, y, w.rows, tokens, err);
}

int
k3_linear_mx(const struct k3_pass *pass, struct k3_mx w, unsigned number,
    enum k3_part part, const float *x, float *y, size_t tokens,
    struct k3_err *err)
{
	struct k3_mul m = { .w = w.w,
		.scale = w.scale,
		.stride = w.n / 2,
		.scale_stride = w.n / K3_MX_BLOCK,
		.rows = w.rows,
		.n = w.n,
		.x = x,
		.tokens = tokens,
		.ldx = w.n,
		.y = y,
		.ldy = w.rows };
	char name[K3_NAME_MAX];

	k3_part_name(pass->layer, number, part, name);
	return run(pass, pass->kern->mul_mxfp4, &m, name, err);
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
