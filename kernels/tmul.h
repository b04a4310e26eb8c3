/*
 * tmul.h - activations times rows of weights: the definition
 *
 * Each level compiles it as it stands, for each stored type: columns are
 * independent, so that vectors change nothing.
 */
#ifndef K3_KERNELS_TMUL_H
#define K3_KERNELS_TMUL_H

#include <math.h>

#include "kernels/impl.h"

/* 'load' reads one weight of 'size' bytes; inlined, it costs no call. */
static inline __attribute__((always_inline)) void
k3_tmul_def(const struct k3_mul *m, float (*load)(const uint8_t *), size_t size)
{
	for (size_t t = 0; t < m->tokens; t++) {
		float *y = m->y + t * m->ldy;

		for (size_t r = 0; r < m->rows; r++) {
			const uint8_t *w = m->w + r * m->stride;
			float x = m->x[t * m->ldx + r];

			for (size_t j = 0; j < m->n; j++)
				y[j] = fmaf(load(w + size * j), x, y[j]);
		}
	}
}

#endif
