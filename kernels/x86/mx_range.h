/*
 * x86/mx_range.h - ranges of MXFP4 rows by groups of tokens, tile by tile
 *
 * Decoding is cheapest into some order of an instruction's own, so x is brought
 * into it first, as much of it as fits the first cache, and the sums are
 * brought back last.  All groups of tokens take their turn while a range of
 * rows is in the second cache.
 *
 * A tile's rows lie a part of the range apart, so that each is the next piece
 * of a long stream: in adjacent rows of 1,792 bytes the CPU does not see one.
 */
#ifndef K3_KERNELS_X86_MX_RANGE_H
#define K3_KERNELS_X86_MX_RANGE_H

#include "kernels/x86/reduce.h"

enum {
	MX_ROWS = 4,      /* of a tile, at most */
	MX_FLOATS = 8192, /* of x: 32 KB */
	MX_SUMS = 384     /* of all tiles: 24 KB */
};

/* Some rows by some tokens, over some columns. */
struct mx_tile {
	const uint8_t *w[MX_ROWS], *scale[MX_ROWS];
	size_t stride, n;
	const float *x; /* [n / 16][tokens][16] */
	float *sum;     /* [tokens][rows][apart][16], the first of each apart */
	size_t apart;
};

/* What a variant does by itself. */
struct mx_variant {
	size_t rows, tokens; /* of a tile, at most */
	void (*tile)(const struct mx_tile *a, size_t tokens);
	void (*order)(float *to, const float *x); /* sixteen elements */
	void (*back)(float *sum);                 /* in place */
};

#define MX_INLINE static inline __attribute__((always_inline))

MX_INLINE size_t
mx_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Rows past the last are the last one again, with sums of their own. */
MX_INLINE void
mx_columns(const struct k3_mul *m, struct mx_variant v, struct mx_tile *a,
    float (*sum)[K3_LANES], size_t i)
{
	for (size_t r = 0; r < a->apart; r++) {
		for (size_t k = 0; k < v.rows; k++) {
			size_t row = mx_least(r + k * a->apart, m->rows - 1);

			a->w[k] = m->w + row * m->stride + i / 2;
			a->scale[k] =
			    m->scale + row * m->scale_stride + i / K3_MX_BLOCK;
		}
		a->sum = sum[r];
		v.tile(a, m->tokens);
	}
}

/* As many rows and tokens as there is room for. */
MX_INLINE void
mx_group(const struct k3_mul *m, struct mx_variant v)
{
	_Alignas(64) float x[MX_FLOATS], sum[MX_SUMS][K3_LANES];
	size_t blocks = m->n / K3_MX_BLOCK;
	size_t most = MX_FLOATS / K3_MX_BLOCK / m->tokens;
	size_t parts = (blocks + most - 1) / most, n = m->n, nsum;
	struct mx_tile a = { .stride = m->stride, .x = x };

	a.apart = (m->rows + v.rows - 1) / v.rows;
	nsum = m->tokens * v.rows * a.apart;
	memset(sum, 0, nsum * sizeof(sum[0]));
	if (parts > 1)
		n = (blocks + parts - 1) / parts * K3_MX_BLOCK;
	for (size_t i = 0; i < m->n; i += n) {
		float *to = x;

		a.n = mx_least(n, m->n - i);
		for (size_t j = i; j < i + a.n; j += K3_LANES)
			for (size_t t = 0; t < m->tokens; t++, to += K3_LANES)
				v.order(to, m->x + t * m->ldx + j);
		mx_columns(m, v, &a, sum, i);
	}
	for (size_t i = 0; i < nsum; i++)
		v.back(sum[i]);
	for (size_t t = 0; t < m->tokens; t++)
		k3_reduce_rows(sum + t * v.rows * a.apart, m->y + t * m->ldy,
		    m->rows);
}

MX_INLINE void
mx_mul(const struct k3_mul *m, struct mx_variant v)
{
	size_t groups = (m->tokens + v.tokens - 1) / v.tokens;
	size_t most = groups == 0 ? 1 : (m->tokens + groups - 1) / groups;
	size_t rows = MX_SUMS / most / v.rows * v.rows;

	for (size_t r = 0; r < m->rows; r += rows)
		for (size_t g = 0; g < groups; g++) {
			size_t t = m->tokens * g / groups;
			struct k3_mul part = *m;

			part.w += r * m->stride;
			part.scale += r * m->scale_stride;
			part.rows = mx_least(rows, m->rows - r);
			part.x += t * m->ldx;
			part.tokens = m->tokens * (g + 1) / groups - t;
			part.y += t * m->ldy + r;
			mx_group(&part, v);
		}
}

#endif
