/*
 * arm/tmul_neon.h - activations times rows of weights, NEON: the loops
 *
 * Columns of y stay in registers while all rows go by.  A tile is 16 columns
 * of four tokens, so that a loaded weight is used four times; for the tokens
 * that are left, one at a time, 64 columns, so that what is read of a row is at
 * least two lines.  Tokens are inside columns: the weights of 16 columns stay
 * in the first cache.
 */
#ifndef K3_KERNELS_ARM_TMUL_NEON_H
#define K3_KERNELS_ARM_TMUL_NEON_H

#include <math.h>

#include "kernels/arm/vec_neon.h"

#define INLINE static inline __attribute__((always_inline))

/* How a stored type is loaded: four weights, one, and the bytes of one. */
struct k3_columns {
	float32x4_t (*load)(const uint8_t *w);
	float (*one)(const uint8_t *w);
	size_t size;
};

/* Columns 'j' on, 'nv' vectors of them, of tokens 't' on. */
INLINE void
tile(const struct k3_mul *m, struct k3_columns l, size_t j, size_t nv, size_t t,
    size_t nt)
{
	const float *x = m->x + t * m->ldx;
	float *y = m->y + t * m->ldy + j;
	float32x4_t s[4][16];

	for (size_t k = 0; k < nt; k++)
		for (size_t v = 0; v < nv; v++)
			s[k][v] = vld1q_f32(y + k * m->ldy + v * K3_VEC);
	for (size_t r = 0; r < m->rows; r++) {
		const uint8_t *w = m->w + r * m->stride + j * l.size;
		float32x4_t a[4];

		for (size_t k = 0; k < nt; k++)
			a[k] = vld1q_dup_f32(x + k * m->ldx + r);
		for (size_t v = 0; v < nv; v++) {
			float32x4_t b = l.load(w + v * K3_VEC * l.size);

			for (size_t k = 0; k < nt; k++)
				s[k][v] = vfmaq_f32(s[k][v], b, a[k]);
		}
	}
	for (size_t k = 0; k < nt; k++)
		for (size_t v = 0; v < nv; v++)
			vst1q_f32(y + k * m->ldy + v * K3_VEC, s[k][v]);
}

/* One column, one token. */
INLINE void
column(const struct k3_mul *m, struct k3_columns l, size_t j, size_t t)
{
	const uint8_t *w = m->w + j * l.size;
	float *y = m->y + t * m->ldy + j, s = *y;

	for (size_t r = 0; r < m->rows; r++)
		s = fmaf(l.one(w + r * m->stride), m->x[t * m->ldx + r], s);
	*y = s;
}

INLINE void
k3_tmul_tiles(const struct k3_mul *m, struct k3_columns l)
{
	size_t many = m->tokens / 4 * 4;

	for (size_t j = 0; many > 0 && m->n - j >= 16; j += 16)
		for (size_t t = 0; t < many; t += 4)
			tile(m, l, j, 4, t, 4);
	for (size_t j = m->n / 16 * 16; many > 0 && j < m->n; j++)
		for (size_t t = 0; t < many; t++)
			column(m, l, j, t);
	for (size_t t = many; t < m->tokens; t++) {
		size_t j = 0;

		for (; m->n - j >= 64; j += 64)
			tile(m, l, j, 16, t, 1);
		for (; m->n - j >= 16; j += 16)
			tile(m, l, j, 4, t, 1);
		for (; j < m->n; j++)
			column(m, l, j, t);
	}
}

#endif
