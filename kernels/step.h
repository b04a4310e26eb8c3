/*
 * step.h - one token through a KDA head, and attention over one block
 *
 * The definitions; each level compiles them as they stand.  The loops over
 * values have independent iterations, so vectors change nothing.
 */
#ifndef K3_KERNELS_STEP_H
#define K3_KERNELS_STEP_H

#include "kernels/elem.h"

static inline void
k3_conv_def(float *y, const float *const in[K3_TAPS], const float *w, size_t n)
{
	const float *a = in[0], *b = in[1], *c = in[2], *d = in[3];

	for (size_t i = 0; i < n; i++) {
		float v = fmaf(w[K3_TAPS * i], a[i], 0.0f);

		v = fmaf(w[K3_TAPS * i + 1], b[i], v);
		v = fmaf(w[K3_TAPS * i + 2], c[i], v);
		v = fmaf(w[K3_TAPS * i + 3], d[i], v);
		y[i] = k3_silu1(v);
	}
}

/*
 * The decay and u = s^T k in one pass over the state, the rest in another.  o
 * is not restrict, since it may be v.
 */
static inline void
k3_kda_def(const struct k3_kda *a)
{
	size_t dim = a->dim;
	float *restrict u = a->u, *o = a->o;

	for (size_t j = 0; j < dim; j++)
		u[j] = 0;
	for (size_t i = 0; i < dim; i++) {
		float *restrict s = a->s + i * dim;
		float decay = a->decay[i], k = a->k[i];

		for (size_t j = 0; j < dim; j++) {
			s[j] *= decay;
			u[j] = fmaf(s[j], k, u[j]);
		}
	}
	for (size_t j = 0; j < dim; j++)
		u[j] = a->beta * (a->v[j] - u[j]);
	for (size_t j = 0; j < dim; j++)
		o[j] = 0;
	for (size_t i = 0; i < dim; i++) {
		float *restrict s = a->s + i * dim;
		float k = a->k[i], q = a->q[i];

		for (size_t j = 0; j < dim; j++) {
			s[j] = fmaf(k, u[j], s[j]);
			o[j] = fmaf(s[j], q, o[j]);
		}
	}
}

static inline float
k3_dot_def(const float *w, const float *x, size_t n)
{
	float s[K3_LANES] = { 0 };
	size_t i = 0;

	for (; n - i >= K3_LANES; i += K3_LANES)
		for (size_t l = 0; l < K3_LANES; l++)
			s[l] = fmaf(w[i + l], x[i + l], s[l]);
	for (size_t l = 0; i < n; i++, l++)
		s[l] = fmaf(w[i], x[i], s[l]);
	return k3_reduce(s);
}

static inline void
k3_attend_def(const struct k3_attend *a)
{
	float score[K3_ATTEND];
	float *restrict acc = a->acc;
	float max = *a->m, sum, c;

	/* A fresh head has no maximum that exp could be taken from. */
	if (a->n == 0)
		return;
	for (size_t i = 0; i < a->n; i++) {
		score[i] = k3_dot_def(a->kv + i * a->width, a->q, a->width);
		score[i] *= a->scale;
		max = score[i] > max ? score[i] : max;
	}
	c = k3_exp1(*a->m - max);
	sum = *a->sum * c;
	for (size_t j = 0; j < a->nvalue; j++)
		acc[j] *= c;
	for (size_t i = 0; i < a->n; i++) {
		const float *kv = a->kv + i * a->width;
		float e = k3_exp1(score[i] - max);

		sum += e;
		for (size_t j = 0; j < a->nvalue; j++)
			acc[j] = fmaf(e, kv[j], acc[j]);
	}
	*a->m = max;
	*a->sum = sum;
}

#endif
