/*
 * kda.c - Kimi Delta Attention: a layer's linear attention with a state
 *
 * Projections are products for all tokens.  Everything between them belongs
 * to one head, and threads take heads: convolutions, lengths, decay, and the
 * state.
 */
#include <math.h>
#include <string.h>

#include "common/kda.h"
#include "common/linear.h"
#include "common/norm.h"

#define PAST 3 /* inputs that a convolution remembers */

/* Under the root of the lengths of q and k. */
#define LENGTH_EPS 1e-6f

struct job {
	struct k3_pass *pass;
	float *qkv[3];        /* [rows][width]; v becomes o */
	const float *conv[3]; /* [width][4] */
	float *gate;          /* [rows][width] */
	float *decay;         /* [rows][width] */
	float *beta;          /* [rows][heads] */
	float *tail;          /* [q, k, v][3][width] */
	const float *dt, *a_log, *o_norm;
};

/*
 * Convolve one head's channels, from 'c' on, of 'rows' tokens in place.  The
 * last token goes first, since each needs the raw inputs of three before it;
 * what the next chunk needs is kept aside before.
 */
static void
convolve(const struct job *job, int which, float *x, size_t rows, float *past,
    size_t c)
{
	const struct k3_cfg *cfg = job->pass->cfg;
	size_t width = cfg->kda_width, dim = cfg->kda_dim;
	float *tail = job->tail + (size_t)which * PAST * width;
	const float *in[K3_TAPS];

	/* Inputs by age: 'past', then the rows of x. */
#define INPUT(i) ((i) < PAST ? past + (i)*width : x + ((i)-PAST) * width)
	for (size_t k = 0; k < PAST; k++)
		memcpy(tail + k * width + c, INPUT(rows + k) + c,
		    dim * sizeof(float));
	for (size_t t = rows; t-- > 0;) {
		for (size_t k = 0; k < K3_TAPS; k++)
			in[k] = INPUT(t + k) + c;
		job->pass->kern->conv(x + t * width + c, in,
		    job->conv[which] + K3_TAPS * c, dim);
	}
#undef INPUT
	for (size_t k = 0; k < PAST; k++)
		memcpy(past + k * width + c, tail + k * width + c,
		    dim * sizeof(float));
}

/* x = x * (1 / sqrt(sum(x^2) + eps)) * scale. */
static void
set_length(const struct k3_kern *kern, float *x, size_t n, float scale)
{
	float inv = 1.0f / sqrtf(k3_dot(kern, x, x, n) + LENGTH_EPS);

	for (size_t i = 0; i < n; i++)
		x[i] = x[i] * inv * scale;
}

/* 'n' tokens of one head, from 'row' on, once they are convolved. */
static void
tokens(const struct job *job, float *s, size_t row, size_t n, size_t head)
{
	const struct k3_cfg *cfg = job->pass->cfg;
	const struct k3_kern *kern = job->pass->kern;
	size_t dim = cfg->kda_dim, width = cfg->kda_width, c = head * dim;
	size_t first = row * width + c, end = first + n * width;
	float *q = job->qkv[0], *k = job->qkv[1], *o = job->qkv[2];
	struct k3_kda a = { .s = s,
		.q = q + first,
		.k = k + first,
		.v = o + first,
		.decay = job->decay + first,
		.beta = job->beta + row * cfg->kda_heads + head,
		.o = o + first,
		.tokens = n,
		.ld = width,
		.ldbeta = cfg->kda_heads,
		.dim = dim };

	for (size_t at = first; at != end; at += width) {
		set_length(kern, q + at, dim, 1.0f / sqrtf((float)dim));
		set_length(kern, k + at, dim, 1.0f);
		kern->decay(job->decay + at, job->dt + c, dim,
		    k3_exp(job->a_log[head]), (float)cfg->gate_lower);
	}
	kern->kda(&a);
	for (size_t at = first; at != end; at += width) {
		k3_rms(kern, o + at, o + at, job->o_norm, dim, (float)cfg->eps);
		kern->gate(o + at, job->gate + at, dim);
	}
}

static void
heads(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct job *job = arg;
	const struct k3_pass *pass = job->pass;
	size_t width = pass->cfg->kda_width, dim = pass->cfg->kda_dim;
	size_t row = 0;

	(void)thread;
	for (size_t i = 0; i < pass->nspan; i++) {
		const struct k3_span *span = &pass->span[i];
		float *s = k3_state_kda(span->state, pass->layer);
		float *past = k3_state_conv(span->state, pass->layer);

		for (size_t h = begin; h < end; h++) {
			for (int k = 0; k < 3; k++)
				convolve(job, k, job->qkv[k] + row * width,
				    span->n, past + (size_t)k * PAST * width,
				    h * dim);
			tokens(job, s + h * dim * dim, row, span->n, h);
		}
		row += span->n;
	}
}

static void
squash(const struct k3_product *p, size_t begin, size_t end)
{
	const struct k3_kern *kern = p->arg;

	for (size_t t = 0; t < p->m.tokens; t++)
		kern->sigmoid(p->m.y + t * p->m.ldy + begin, end - begin);
}

/* All that is a product of x; f goes through its narrow matrix. */
static int
project(struct k3_pass *pass, struct job *job, const float *x,
    struct k3_err *err)
{
	static const enum k3_tensor t[] = { K3_T_Q, K3_T_K, K3_T_V, K3_T_F_A,
		K3_T_BETA, K3_T_G };
	enum {
		N = sizeof(t) / sizeof(*t)
	};
	size_t n = pass->rows, width = pass->cfg->kda_width;
	struct k3_scratch *s = &pass->scratch;
	float *f = k3_scratch_floats(s, n * pass->cfg->kda_dim);
	struct k3_product p[N];
	float *y[N];

	for (int k = 0; k < 3; k++)
		y[k] = job->qkv[k] = k3_scratch_floats(s, n * width);
	y[3] = f;
	y[4] = job->beta = k3_scratch_floats(s, n * pass->cfg->kda_heads);
	y[5] = job->gate = k3_scratch_floats(s, n * width);
	job->decay = k3_scratch_floats(s, n * width);
	for (int k = 0; k < N; k++)
		if (k3_product(pass, t[k], x, y[k], n, &p[k], err) != 0)
			return -1;
	p[4].then = squash;
	p[4].arg = pass->kern;
	if (k3_products(pass, p, N, err) != 0)
		return -1;
	k3_trunk_done(pass->trunk);
	return k3_linear(pass, K3_T_F_B, f, job->decay, n, err);
}

int
k3_kda(struct k3_pass *pass, const float *x, float *out, struct k3_err *err)
{
	const struct k3_cfg *cfg = pass->cfg;
	uint64_t mark = pass->scratch.used;
	struct job job = { .pass = pass };

	if (project(pass, &job, x, err) != 0 ||
	    (job.conv[0] = k3_vector(pass, K3_T_Q_CONV, err)) == NULL ||
	    (job.conv[1] = k3_vector(pass, K3_T_K_CONV, err)) == NULL ||
	    (job.conv[2] = k3_vector(pass, K3_T_V_CONV, err)) == NULL ||
	    (job.a_log = k3_vector(pass, K3_T_A_LOG, err)) == NULL ||
	    (job.dt = k3_vector(pass, K3_T_DT_BIAS, err)) == NULL ||
	    (job.o_norm = k3_vector(pass, K3_T_O_NORM, err)) == NULL)
		return -1;
	job.tail = k3_scratch_floats(&pass->scratch,
	    (size_t)3 * PAST * cfg->kda_width);
	pass->moved = true;
	/* A token of a head multiplies its state by three vectors. */
	k3_par_run(&pass->par, cfg->kda_heads,
	    k3_par_grain((size_t)3 * cfg->kda_dim * cfg->kda_dim * pass->rows),
	    heads, &job);
	if (k3_linear(pass, K3_T_O, job.qkv[2], out, pass->rows, err) != 0)
		return -1;
	pass->scratch.used = mark;
	return 0;
}
