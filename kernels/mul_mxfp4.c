/*
 * mul_mxfp4.c - rows of MXFP4 weights times activations: the definition
 */
#include <math.h>

#include "kernels/impl.h"

static const float e2m1[16] = { 0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
	-0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f };

static float
dot(const uint8_t *w, const uint8_t *scale, const float *x, size_t n)
{
	float s[K3_LANES] = { 0 };

	for (size_t i = 0; i < n; i++) {
		float *lane = &s[i % K3_LANES];
		unsigned code = w[i / 2] >> (i % 2 * 4) & 15;
		float v = e2m1[code] * k3_mx_scale(scale[i / K3_MX_BLOCK]);

		*lane = fmaf(v, x[i], *lane);
	}
	return k3_reduce(s);
}

void
k3_mul_mxfp4_scalar(const struct k3_mul *m)
{
	for (size_t r = 0; r < m->rows; r++)
		for (size_t t = 0; t < m->tokens; t++)
			m->y[t * m->ldy + r] = dot(m->w + r * m->stride,
			    m->scale + r * m->scale_stride, m->x + t * m->ldx,
			    m->n);
}
