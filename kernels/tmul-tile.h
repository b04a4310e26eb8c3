/*
 * tmul-tile.h - activations times rows of weights, for any vector
 *
 * Included by a variant after its header of columns (k3_col, k3_col_load,
 * _store, _all, _fma, and K3_COL_TOKENS, at most 6, by K3_COL_VECTORS that fill
 * the registers).  A tile is some tokens by some vectors of columns, which stay
 * in registers while rows pass by.  Blocks of rows are outside, so that a strip
 * of them, as wide as a tile, stays in the first cache for all tokens.
 */
#ifndef K3_KERNELS_TMUL_TILE_H
#define K3_KERNELS_TMUL_TILE_H

#include <math.h>

#include "kernels/impl.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	STRIP_ROWS = 64,
	LINE = 64
};

/* A stored type: how K3_COL weights are loaded, how one, and its bytes. */
struct k3_stored {
	k3_col (*load)(const uint8_t *w);
	float (*one)(const uint8_t *w);
	size_t size;
};

/*
 * 'nt' tokens by 'nv' vectors of columns: all rows of m.
 *
 * A strip's rows are pieces of memory that the CPU's prefetchers do not see
 * through.  So the first tokens' tile asks for the next block, a part of it as
 * large as the strip, in the order of addresses: three times as fast.
 */
INLINE void
tile(const struct k3_mul *m, struct k3_stored l, size_t j, size_t nv, size_t t,
    size_t nt)
{
	const size_t bytes = nv * K3_COL * l.size;
	const uint8_t *w = m->w + j * l.size;
	const uint8_t *next = m->w + m->rows * (m->stride + j * l.size);
	const float *x = m->x + t * m->ldx;
	float *y = m->y + t * m->ldy + j;
	k3_col s[6][K3_COL_VECTORS];

	for (size_t k = 0; k < nt; k++)
		for (size_t v = 0; v < nv; v++)
			s[k][v] = k3_col_load(y + k * m->ldy + v * K3_COL);
	for (size_t r = 0; r < m->rows; r++, w += m->stride, next += bytes) {
		k3_col c[K3_COL_VECTORS];

		for (size_t i = 0; t == 0 && i < bytes; i += LINE)
			__builtin_prefetch(next + i, 0, 2);
		for (size_t v = 0; v < nv; v++)
			c[v] = l.load(w + v * K3_COL * l.size);
		for (size_t k = 0; k < nt; k++) {
			k3_col b = k3_col_all(x[k * m->ldx + r]);

			for (size_t v = 0; v < nv; v++)
				s[k][v] = k3_col_fma(c[v], b, s[k][v]);
		}
	}
	for (size_t k = 0; k < nt; k++)
		for (size_t v = 0; v < nv; v++)
			k3_col_store(y + k * m->ldy + v * K3_COL, s[k][v]);
}

/* All tokens, in groups of about the same size. */
INLINE void
strip(const struct k3_mul *m, struct k3_stored l, size_t j, size_t nv)
{
	for (size_t t = 0, nt; t < m->tokens; t += nt) {
		size_t left = m->tokens - t;
		size_t groups = (left + K3_COL_TOKENS - 1) / K3_COL_TOKENS;

		nt = (left + groups - 1) / groups;
		switch (nt) {
		case 1:
			tile(m, l, j, nv, t, 1);
			break;
		case 2:
			tile(m, l, j, nv, t, 2);
			break;
		case 3:
			tile(m, l, j, nv, t, 3);
			break;
		case 4:
			tile(m, l, j, nv, t, 4);
			break;
		case 5:
			tile(m, l, j, nv, t, 5);
			break;
		default:
			tile(m, l, j, nv, t, 6);
		}
	}
}

/* Columns from 'j' on, fewer than a vector. */
INLINE void
rest(const struct k3_mul *m, struct k3_stored l, size_t j)
{
	for (size_t t = 0; t < m->tokens; t++)
		for (size_t r = 0; r < m->rows; r++) {
			const uint8_t *w = m->w + r * m->stride;
			float x = m->x[t * m->ldx + r];
			float *y = m->y + t * m->ldy;

			for (size_t i = j; i < m->n; i++)
				y[i] = fmaf(l.one(w + i * l.size), x, y[i]);
		}
}

INLINE void
k3_tmul_tiles(const struct k3_mul *all, struct k3_stored l)
{
	const size_t wide = K3_COL_VECTORS * K3_COL;
	struct k3_mul m = *all;

	for (size_t r = 0, j; r < all->rows; r += STRIP_ROWS) {
		m.w = all->w + r * m.stride;
		m.x = all->x + r;
		m.rows = all->rows - r;
		if (m.rows > STRIP_ROWS)
			m.rows = STRIP_ROWS;
		for (j = 0; m.n - j >= wide; j += wide)
			strip(&m, l, j, K3_COL_VECTORS);
		for (; m.n - j >= K3_COL; j += K3_COL)
			strip(&m, l, j, 1);
		if (j < m.n)
			rest(&m, l, j);
	}
}

#endif
