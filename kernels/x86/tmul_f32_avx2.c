/*
 * x86/tmul_f32_avx2.c - activations times rows of f32 weights: as defined, in
 * AVX2 vectors
 */
#include <math.h>

#include "kernels/impl.h"

void
k3_tmul_f32_avx2(const struct k3_mul *m)
{
	for (size_t t = 0; t < m->tokens; t++) {
		float *y = m->y + t * m->ldy;

		for (size_t j = 0; j < m->n; j++)
			y[j] = 0;
		for (size_t r = 0; r < m->rows; r++) {
			const uint8_t *w = m->w + r * m->stride;
			float x = m->x[t * m->ldx + r];

			for (size_t j = 0; j < m->n; j++)
				y[j] = fmaf(k3_load_f32(w + 4 * j), x, y[j]);
		}
	}
}
