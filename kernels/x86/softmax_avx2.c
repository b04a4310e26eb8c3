/*
 * x86/softmax_avx2.c - attention's softmax over one block of positions, AVX2
 *
 * The sum of a query's weights is one long chain of additions: eight queries
 * add side by side.
 */
#include <immintrin.h>

#include "kernels/elem.h"

#define TOGETHER 8

static inline float
greater(float a, float b)
{
	return a > b ? a : b;
}

/* score *= scale; the greatest of them and 'm'. */
static inline float
scale_max(float *score, size_t n, float scale, float m)
{
	__m256 by = _mm256_set1_ps(scale), max[4];
	float lane[8];
	size_t i = 0;

	for (size_t k = 0; k < 4; k++)
		max[k] = _mm256_set1_ps(m);
	for (; n - i >= 32; i += 32)
		for (size_t k = 0; k < 4; k++) {
			float *p = score + i + 8 * k;
			__m256 v = _mm256_mul_ps(_mm256_loadu_ps(p), by);

			_mm256_storeu_ps(p, v);
			max[k] = _mm256_max_ps(v, max[k]);
		}
	max[0] = _mm256_max_ps(_mm256_max_ps(max[0], max[1]),
	    _mm256_max_ps(max[2], max[3]));
	_mm256_storeu_ps(lane, max[0]);
	for (size_t k = 0; k < 8; k++)
		m = greater(lane[k], m);
	for (; i < n; i++) {
		score[i] *= scale;
		m = greater(score[i], m);
	}
	return m + 0.0f;
}

/* Query 'q', but for what its weights add to the sum. */
static inline void
weights(const struct k3_softmax *a, size_t q)
{
	float *restrict score = a->score + q * a->ld;
	float *restrict acc = a->acc + q * a->ldacc;
	float max = scale_max(score, a->n, a->scale, a->m[q]);
	float c = k3_exp1(a->m[q] - max);

	for (size_t i = 0; i < a->n; i++)
		score[i] = k3_exp1(score[i] - max);
	a->m[q] = max;
	a->sum[q] *= c;
	/* The maximum is seldom new, and times 1 changes nothing. */
	if (c != 1)
		for (size_t j = 0; j < a->nvalue; j++)
			acc[j] *= c;
}

void
k3_softmax_avx2(const struct k3_softmax *a)
{
	size_t q = 0;

	if (a->n == 0)
		return;
	for (size_t k = 0; k < a->nq; k++)
		weights(a, k);
	for (; a->nq - q >= TOGETHER; q += TOGETHER) {
		const float *score = a->score + q * a->ld;
		float sum[TOGETHER];

		for (size_t k = 0; k < TOGETHER; k++)
			sum[k] = a->sum[q + k];
		for (size_t i = 0; i < a->n; i++)
			for (size_t k = 0; k < TOGETHER; k++)
				sum[k] += score[k * a->ld + i];
		for (size_t k = 0; k < TOGETHER; k++)
			a->sum[q + k] = sum[k];
	}
	for (; q < a->nq; q++) {
		float sum = a->sum[q];

		for (size_t i = 0; i < a->n; i++)
			sum += a->score[q * a->ld + i];
		a->sum[q] = sum;
	}
}
