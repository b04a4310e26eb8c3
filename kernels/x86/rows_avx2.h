/*
 * x86/rows_avx2.h - rows of weights times activations, AVX2: the loops
 *
 * For the stored types whose weights are loaded one by one: all is inlined
 * into a variant, with the functions that load its type.
 *
 * Four rows at a time for one token, so that eight chains of fma hide their
 * latency; two rows by two tokens for more, so that a loaded weight is used
 * twice.  At an edge the last row or token is computed again and dropped.
 */
#ifndef K3_KERNELS_X86_ROWS_AVX2_H
#define K3_KERNELS_X86_ROWS_AVX2_H

#include <math.h>

#include "kernels/x86/avx2.h"

/* How a type is loaded: sixteen weights, one, and the bytes of one. */
struct k3_loader {
	struct k3_v16 (*sixteen)(const uint8_t *w);
	float (*one)(const uint8_t *w);
	size_t size;
};

#define INLINE static inline __attribute__((always_inline))

/* Elements i.. of a row and of x into the sums; the total. */
INLINE float
finish(struct k3_loader l, struct k3_v16 v, const uint8_t *w, const float *x,
    size_t i, size_t n)
{
	float s[K3_LANES];

	k3_v16_store(s, v);
	for (size_t k = 0; i < n; i++, k++)
		s[k] = fmaf(l.one(w + l.size * i), x[i], s[k]);
	return k3_reduce(s);
}

INLINE size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Rows r..r+3 of token t. */
INLINE void
rows4(const struct k3_mul *m, struct k3_loader l, size_t r, size_t t)
{
	const float *x = m->x + t * m->ldx;
	struct k3_v16 s[4];
	const uint8_t *w[4];
	size_t i;

	for (size_t k = 0; k < 4; k++) {
		w[k] = m->w + least(r + k, m->rows - 1) * m->stride;
		s[k] = k3_v16_zero();
	}
	for (i = 0; m->n - i >= K3_LANES; i += K3_LANES) {
		struct k3_v16 v = k3_v16_f32(x + i);

		k3_v16_fma(&s[0], l.sixteen(w[0] + l.size * i), v);
		k3_v16_fma(&s[1], l.sixteen(w[1] + l.size * i), v);
		k3_v16_fma(&s[2], l.sixteen(w[2] + l.size * i), v);
		k3_v16_fma(&s[3], l.sixteen(w[3] + l.size * i), v);
	}
	for (size_t k = 0; k < 4 && r + k < m->rows; k++)
		m->y[t * m->ldy + r + k] = finish(l, s[k], w[k], x, i, m->n);
}

/* Rows r, r+1 of tokens t, t+1. */
INLINE void
rows2x2(const struct k3_mul *m, struct k3_loader l, size_t r, size_t t)
{
	size_t r1 = least(r + 1, m->rows - 1), t1 = least(t + 1, m->tokens - 1);
	const uint8_t *w0 = m->w + r * m->stride, *w1 = m->w + r1 * m->stride;
	const float *x0 = m->x + t * m->ldx, *x1 = m->x + t1 * m->ldx;
	struct k3_v16 s00 = k3_v16_zero(), s01 = s00, s10 = s00, s11 = s00;
	size_t i;

	for (i = 0; m->n - i >= K3_LANES; i += K3_LANES) {
		struct k3_v16 a = l.sixteen(w0 + l.size * i),
			      b = l.sixteen(w1 + l.size * i);
		struct k3_v16 c = k3_v16_f32(x0 + i), d = k3_v16_f32(x1 + i);

		k3_v16_fma(&s00, a, c);
		k3_v16_fma(&s01, a, d);
		k3_v16_fma(&s10, b, c);
		k3_v16_fma(&s11, b, d);
	}
	m->y[t * m->ldy + r] = finish(l, s00, w0, x0, i, m->n);
	m->y[t1 * m->ldy + r] = finish(l, s01, w0, x1, i, m->n);
	m->y[t * m->ldy + r1] = finish(l, s10, w1, x0, i, m->n);
	m->y[t1 * m->ldy + r1] = finish(l, s11, w1, x1, i, m->n);
}

INLINE void
k3_mul_rows(const struct k3_mul *m, struct k3_loader l)
{
	if (m->tokens == 1) {
		for (size_t r = 0; r < m->rows; r += 4)
			rows4(m, l, r, 0);
		return;
	}
	for (size_t r = 0; r < m->rows; r += 2)
		for (size_t t = 0; t < m->tokens; t += 2)
			rows2x2(m, l, r, t);
}

#endif
