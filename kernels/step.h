/*
 * step.h - tokens through a KDA head, and the softmax over one block
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

/* Columns of the state that are worked on together. */
#define K3_KDA_COLUMNS 128

/*
 * One token, columns 'from' to 'from' + 'n'.  The decay and u = s^T k in one
 * pass over the state, the rest in another.
 */
static inline void
k3_kda_token(const struct k3_kda *a, size_t t, size_t from, size_t n)
{
	const float *q = a->q + t * a->ld, *k = a->k + t * a->ld;
	const float *decay = a->decay + t * a->ld;
	float u[K3_KDA_COLUMNS] = { 0 }, o[K3_KDA_COLUMNS] = { 0 };

	for (size_t i = 0; i < a->dim; i++) {
		float *restrict s = a->s + i * a->dim + from;

		for (size_t j = 0; j < n; j++) {
			s[j] *= decay[i];
			u[j] = fmaf(s[j], k[i], u[j]);
		}
	}
	for (size_t j = 0; j < n; j++)
		u[j] = a->beta[t * a->ldbeta] *
		       (a->v[t * a->ld + from + j] - u[j]);
	for (size_t i = 0; i < a->dim; i++) {
		float *restrict s = a->s + i * a->dim + from;

		for (size_t j = 0; j < n; j++) {
			s[j] = fmaf(k[i], u[j], s[j]);
			o[j] = fmaf(s[j], q[i], o[j]);
		}
	}
	memcpy(a->o + t * a->ld + from, o, n * sizeof(*o));
}

/* Columns are independent of each other, tokens are not. */
static inline void
k3_kda_def(const struct k3_kda *a)
{
	for (size_t j = 0; j < a->dim; j += K3_KDA_COLUMNS)
		for (size_t t = 0; t < a->tokens; t++)
			k3_kda_token(a, t, j,
			    a->dim - j < K3_KDA_COLUMNS ? a->dim - j
							: K3_KDA_COLUMNS);
}

static inline void
k3_softmax_def(const struct k3_softmax *a)
{
	/* A fresh query has no maximum that exp could be taken from. */
	if (a->n == 0)
		return;
	for (size_t q = 0; q < a->nq; q++) {
		float *restrict score = a->score + q * a->ld;
		float *restrict acc = a->acc + q * a->ldacc;
		float max = a->m[q], sum, c;

		for (size_t i = 0; i < a->n; i++) {
			score[i] *= a->scale;
			max = score[i] > max ? score[i] : max;
		}
		max += 0.0f;
		c = k3_exp1(a->m[q] - max);
		sum = a->sum[q] * c;
		for (size_t j = 0; j < a->nvalue; j++)
			acc[j] *= c;
		for (size_t i = 0; i < a->n; i++)
			score[i] = k3_exp1(score[i] - max);
		for (size_t i = 0; i < a->n; i++)
			sum += score[i];
		a->m[q] = max;
		a->sum[q] = sum;
	}
}

#endif
