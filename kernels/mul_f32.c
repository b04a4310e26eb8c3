/*
 * mul_f32.c - rows of f32 weights times activations: the definition
 */
#include <math.h>

#include "kernels/impl.h"

static float
dot(const uint8_t *w, const float *x, size_t n)
{
	float s[K3_LANES] = { 0 };

	for (size_t i = 0; i < n; i++) {
		float *lane = &s[i % K3_LANES];

		*lane = fmaf(k3_load_f32(w + 4 * i), x[i], *lane);
	}
	return k3_reduce(s);
}

void
k3_mul_f32_scalar(const struct k3_mul *m)
{
	for (size_t r = 0; r < m->rows; r++)
		for (size_t t = 0; t < m->tokens; t++)
			m->y[t * m->ldy + r] =
			    dot(m->w + r * m->stride, m->x + t * m->ldx, m->n);
}
