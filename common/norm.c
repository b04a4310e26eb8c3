/*
 * norm.c - root-mean-square normalisation
 */
#include <math.h>

#include "common/norm.h"

float
k3_dot(const struct k3_kern *kern, const float *x, const float *y, size_t n)
{
	float sum = 0;
	struct k3_mul m = { .w = (const uint8_t *)x,
		.rows = 1,
		.n = n,
		.x = y,
		.tokens = 1,
		.y = &sum };

	kern->mul_f32(&m);
	return sum;
}

void
k3_rms(const struct k3_kern *kern, float *y, const float *x, const float *w,
    size_t n, float eps)
{
	float mean = k3_dot(kern, x, x, n) / (float)n;
	float scale = 1.0f / sqrtf(mean + eps);

	for (size_t i = 0; i < n; i++)
		y[i] = x[i] * scale * w[i];
}

void
k3_rms_rows(const struct k3_kern *kern, float *y, const float *x,
    const float *w, size_t rows, size_t n, float eps)
{
	for (size_t r = 0; r < rows; r++)
		k3_rms(kern, y + r * n, x + r * n, w, n, eps);
}
