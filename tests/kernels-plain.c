/*
 * kernels-plain.c - the slots as their contract puts it, in the plainest C
 *
 * Written from kernels/kernels.h and the rules for results alone, with other
 * loops than the definitions: each output element by itself, weights widened
 * first.  Only the elementary functions are shared; tests/elem.c judges them.
 */
#include <math.h>
#include <string.h>

#include "kernels/elem.h"
#include "tests/kernels-case.h"

#define MAX_N 8192

float
plain_mxfp4(unsigned code, unsigned e)
{
	int exp = (int)(code >> 1 & 3), man = (int)(code & 1);
	float v = exp == 0 ? 0.5f * (float)man
			   : ldexpf(1.0f + 0.5f * (float)man, exp - 1);

	v = ldexpf(v, (int)e - 127);
	return (code & 8) != 0 ? -v : v;
}

static float
dot(const float *w, const float *x, size_t n)
{
	float s[16] = { 0 };

	for (size_t i = 0; i < n; i++)
		s[i % 16] = fmaf(w[i], x[i], s[i % 16]);
	for (size_t j = 0; j < 8; j++)
		s[j] += s[j + 8];
	for (size_t j = 0; j < 4; j++)
		s[j] += s[j + 4];
	for (size_t j = 0; j < 2; j++)
		s[j] += s[j + 2];
	return s[0] + s[1];
}

typedef float weight_fn(const struct k3_mul *m, size_t r, size_t i);

static float
weight_f32(const struct k3_mul *m, size_t r, size_t i)
{
	float f;

	memcpy(&f, m->w + r * m->stride + 4 * i, 4);
	return f;
}

static float
weight_bf16(const struct k3_mul *m, size_t r, size_t i)
{
	const uint8_t *p = m->w + r * m->stride + 2 * i;
	uint32_t u = (uint32_t)(p[0] + 256 * p[1]) << 16;
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static float
weight_mxfp4(const struct k3_mul *m, size_t r, size_t i)
{
	unsigned byte = m->w[r * m->stride + i / 2];

	return plain_mxfp4(i % 2 == 0 ? byte % 16 : byte / 16,
	    m->scale[r * m->scale_stride + i / 32]);
}

static void
mul(const struct k3_mul *m, weight_fn *weight)
{
	float row[MAX_N];

	for (size_t r = 0; r < m->rows; r++) {
		for (size_t i = 0; i < m->n; i++)
			row[i] = weight(m, r, i);
		for (size_t t = 0; t < m->tokens; t++)
			m->y[t * m->ldy + r] =
			    dot(row, m->x + t * m->ldx, m->n);
	}
}

static void
tmul(const struct k3_mul *m, weight_fn *weight)
{
	float column[MAX_N];

	for (size_t j = 0; j < m->n; j++) {
		for (size_t r = 0; r < m->rows; r++)
			column[r] = weight(m, r, j);
		for (size_t t = 0; t < m->tokens; t++) {
			float sum = m->y[t * m->ldy + j];

			for (size_t r = 0; r < m->rows; r++)
				sum =
				    fmaf(column[r], m->x[t * m->ldx + r], sum);
			m->y[t * m->ldy + j] = sum;
		}
	}
}

static void
mul_f32(const struct k3_mul *m)
{
	mul(m, weight_f32);
}

static void
mul_bf16(const struct k3_mul *m)
{
	mul(m, weight_bf16);
}

static void
mul_mxfp4(const struct k3_mul *m)
{
	mul(m, weight_mxfp4);
}

static void
tmul_f32(const struct k3_mul *m)
{
	tmul(m, weight_f32);
}

static void
tmul_bf16(const struct k3_mul *m)
{
	tmul(m, weight_bf16);
}

static void
silu(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_silu1(x[i]);
}

static void
sigmoid(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_sigmoid1(x[i]);
}

static void
situ(float *a, const float *b, size_t n, float b1, float b2)
{
	for (size_t i = 0; i < n; i++) {
		float capped = b1 * k3_tanh1(a[i] / b1);
		float gate = capped * k3_sigmoid1(a[i]);
		float up = b2 * k3_tanh1(b[i] / b2);

		a[i] = gate * up;
	}
}

static void
gate(float *o, const float *g, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o[i] *= k3_sigmoid1(g[i]);
}

static void
decay(float *f, const float *bias, size_t n, float a, float lower)
{
	for (size_t i = 0; i < n; i++) {
		float sum = f[i] + bias[i];
		float s = k3_sigmoid1(a * sum);

		f[i] = k3_exp(lower * s);
	}
}

static void
axpy(float *y, const float *x, size_t n, float a)
{
	for (size_t i = 0; i < n; i++)
		y[i] = fmaf(a, x[i], y[i]);
}

static void
conv(float *y, const float *const in[K3_TAPS], const float *w, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		float sum = 0;

		for (size_t tap = 0; tap < 4; tap++)
			sum = fmaf(w[4 * c + tap], in[tap][c], sum);
		y[c] = k3_silu1(sum);
	}
}

/* One token, each column of the state by itself. */
static void
kda_token(const struct k3_kda *a, size_t t)
{
	size_t dim = a->dim, at = t * a->ld;
	const float *q = a->q + at, *k = a->k + at, *decay = a->decay + at;

	for (size_t j = 0; j < dim; j++) {
		float *s = a->s + j, u = 0, v = a->v[at + j], o = 0;

		for (size_t i = 0; i < dim; i++)
			s[i * dim] *= decay[i];
		for (size_t i = 0; i < dim; i++)
			u = fmaf(s[i * dim], k[i], u);
		u = a->beta[t * a->ldbeta] * (v - u);
		for (size_t i = 0; i < dim; i++)
			s[i * dim] = fmaf(k[i], u, s[i * dim]);
		for (size_t i = 0; i < dim; i++)
			o = fmaf(s[i * dim], q[i], o);
		a->o[at + j] = o;
	}
}

static void
kda(const struct k3_kda *a)
{
	for (size_t t = 0; t < a->tokens; t++)
		kda_token(a, t);
}

static void
softmax_query(const struct k3_softmax *a, size_t q)
{
	float *score = a->score + q * a->ld, *acc = a->acc + q * a->ldacc;
	float max = a->m[q], scale;

	for (size_t i = 0; i < a->n; i++) {
		score[i] *= a->scale;
		if (score[i] > max)
			max = score[i];
	}
	if (max == 0)
		max = 0;
	scale = k3_exp(a->m[q] - max);
	a->m[q] = max;
	a->sum[q] *= scale;
	for (size_t i = 0; i < a->n; i++) {
		score[i] = k3_exp(score[i] - max);
		a->sum[q] += score[i];
	}
	for (size_t j = 0; j < a->nvalue; j++)
		acc[j] *= scale;
}

/* An empty block changes nothing. */
static void
softmax(const struct k3_softmax *a)
{
	for (size_t q = 0; a->n > 0 && q < a->nq; q++)
		softmax_query(a, q);
}

const struct k3_kern plain = { mul_f32, mul_bf16, mul_mxfp4, tmul_f32,
	tmul_bf16, silu, sigmoid, situ, gate, decay, axpy, conv, kda, softmax };

void
plain_attention(const float *q, const float *kv, size_t npos, size_t width,
    size_t nvalue, float scale, float *out)
{
	float m = -INFINITY, sum = 0;

	for (size_t j = 0; j < nvalue; j++)
		out[j] = 0;
	for (size_t p = 0; p < npos; p++) {
		size_t first = p / 256 * 256, end = first + 256;
		float max = -INFINITY, was = m, w;

		/* A block's maximum, with all before it. */
		for (size_t k = 0; k < end && k < npos; k++) {
			float s = dot(q, kv + k * width, width) * scale;

			max = s > max ? s : max;
		}
		m = max;
		if (p == first) {
			sum *= k3_exp(was - m);
			for (size_t j = 0; j < nvalue; j++)
				out[j] *= k3_exp(was - m);
		}
		w = k3_exp(dot(q, kv + p * width, width) * scale - m);
		sum += w;
		for (size_t j = 0; j < nvalue; j++)
			out[j] = fmaf(w, kv[p * width + j], out[j]);
	}
	for (size_t j = 0; j < nvalue; j++)
		out[j] /= sum;
}
