/*
 * tile.h - rows of stored weights times activations, for any vector
 *
 * Included by a variant after its header of vectors, which gives a vector of
 * K3_VEC floats (k3_vec, k3_vec_zero, _load, _store, _fma, _hold), the shape of
 * a tile that fits its registers (K3_TILE_MOST, k3_tile_rows, k3_tile_parts)
 * and k3_reduce_rows.  All is inlined into the variant, with the function that
 * loads its type.
 *
 * A tile is some rows by some tokens: a loaded weight serves all its tokens, a
 * loaded activation all its rows, and there are enough chains of fma to hide
 * their latency.  Tiles are taken block by block, so that a group of tokens
 * stays in the first cache while all rows of a block pass by, and the rows in
 * the second while all groups do.  Between blocks of elements the sixteen sums
 * of each output wait in memory.
 */
#ifndef K3_KERNELS_TILE_H
#define K3_KERNELS_TILE_H

#include <stdbool.h>

#include "kernels/impl.h"

#define INLINE static inline __attribute__((always_inline))

/* At most so large is a block; its sums are 48 KB. */
enum {
	TILE_ROWS = 48,
	TILE_TOKENS = 16,
	TILE_ELEMENTS = 1024, /* if there are several groups of tokens */
};

/* A stored type: how K3_VEC weights are loaded, and the bytes of one. */
struct k3_stored {
	k3_vec (*load)(const uint8_t *w);
	size_t size;
};

/* Elements are a multiple of 16. */
struct block {
	const uint8_t *w;
	const float *x;
	size_t stride, ldx;
	size_t rows, tokens, n;
	float (*sum)[K3_LANES]; /* [tokens][rows] */
	bool fresh;             /* the sums are 0 */
};

INLINE size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Parts 'p' to p + np of the sums of rows 'r' on and tokens 't' on.  Rows past
 * the last are the last one again.
 */
INLINE void
tile(const struct block *b, struct k3_stored l, size_t r, size_t nr, size_t t,
    size_t nt, size_t p, size_t np)
{
	k3_vec s[8][8][2];
	const uint8_t *w[8];
	const float *x[8];
	float *sum[8];

	for (size_t j = 0; j < nt; j++)
		x[j] = b->x + (t + j) * b->ldx + p * K3_VEC;
	for (size_t k = 0; k < nr; k++) {
		size_t row = least(r + k, b->rows - 1);

		w[k] = b->w + row * b->stride + p * K3_VEC * l.size;
		sum[k] = b->sum[t * b->rows + row] + p * K3_VEC;
	}
	for (size_t k = 0; k < nr; k++)
		for (size_t j = 0; j < nt; j++)
			for (size_t q = 0; q < np; q++)
				s[k][j][q] =
				    b->fresh
					? k3_vec_zero()
					: k3_vec_load(sum[k] +
						      j * b->rows * K3_LANES +
						      q * K3_VEC);
	for (size_t i = 0; i < b->n; i += K3_LANES)
		for (size_t q = 0; q < np; q++) {
			k3_vec a[8];

			for (size_t k = 0; k < nr; k++)
				a[k] = l.load(w[k] + (i + q * K3_VEC) * l.size);
			for (size_t j = 0; j < nt; j++) {
				k3_vec v = k3_vec_hold(
				    k3_vec_load(x[j] + i + q * K3_VEC));

				for (size_t k = 0; k < nr; k++)
					s[k][j][q] =
					    k3_vec_fma(a[k], v, s[k][j][q]);
			}
		}
	for (size_t k = 0; k < nr; k++)
		for (size_t j = 0; j < nt; j++)
			for (size_t q = 0; q < np; q++)
				k3_vec_store(sum[k] + j * b->rows * K3_LANES +
						 q * K3_VEC,
				    s[k][j][q]);
}

/* All rows times tokens 't' to t + nt. */
INLINE void
group(const struct block *b, struct k3_stored l, size_t t, size_t nt)
{
	size_t nr = k3_tile_rows(nt), np = k3_tile_parts(nt), r = 0;

	if (nt > K3_TILE_MOST)
		return;
	for (; r + 1 < b->rows; r += nr)
		for (size_t p = 0; p < K3_LANES / K3_VEC; p += np)
			tile(b, l, r, nr, t, nt, p, np);
	if (r < b->rows)
		for (size_t p = 0; p < K3_LANES / K3_VEC; p += np)
			tile(b, l, r, 1, t, nt, p, np);
}

/* All rows times all tokens, in groups of about the same size. */
INLINE void
groups(const struct block *b, struct k3_stored l)
{
	for (size_t t = 0, nt; t < b->tokens; t += nt) {
		size_t left = b->tokens - t;
		size_t most = (left + K3_TILE_MOST - 1) / K3_TILE_MOST;

		nt = (left + most - 1) / most;
		switch (nt) {
		case 1:
			group(b, l, t, 1);
			break;
		case 2:
			group(b, l, t, 2);
			break;
		case 3:
			group(b, l, t, 3);
			break;
		case 4:
			group(b, l, t, 4);
			break;
		case 5:
			group(b, l, t, 5);
			break;
		default:
			group(b, l, t, 6);
		}
	}
}

/*
 * The last elements, less than sixteen, as a block of its own.  What is added
 * to them gives products of -0, which change no sum, not even one of -0.
 */
static void
pad(const struct block *b, uint8_t *w, float (*x)[K3_LANES], size_t n,
    size_t size)
{
	memset(w, 0, b->rows * K3_LANES * size);
	memset(x, 0, b->tokens * sizeof(*x));
	for (size_t r = 0; r < b->rows; r++) {
		uint8_t *row = w + r * K3_LANES * size;

		memcpy(row, b->w + r * b->stride, n * size);
		for (size_t i = n; i < K3_LANES; i++)
			row[i * size + size - 1] = 0x80;
	}
	for (size_t t = 0; t < b->tokens; t++)
		memcpy(x[t], b->x + t * b->ldx, n * sizeof(float));
}

/* A block of rows by tokens, over all 'n' elements. */
INLINE void
outputs(struct block b, struct k3_stored l, size_t n)
{
	uint8_t w[TILE_ROWS * K3_LANES * sizeof(float)];
	float x[TILE_TOKENS][K3_LANES];
	size_t whole = n / K3_LANES * K3_LANES, most = whole;

	if (b.tokens > K3_TILE_MOST)
		most = TILE_ELEMENTS;
	b.fresh = true;
	for (size_t i = 0; i < whole; i += b.n) {
		b.n = least(whole - i, most);
		groups(&b, l);
		b.w += b.n * l.size;
		b.x += b.n;
		b.fresh = false;
	}
	if (n > whole || n == 0) {
		pad(&b, w, x, n - whole, l.size);
		b.w = w;
		b.stride = K3_LANES * l.size;
		b.x = x[0];
		b.ldx = b.n = K3_LANES;
		groups(&b, l);
	}
}

INLINE void
k3_mul_tiles(const struct k3_mul *m, struct k3_stored l)
{
	float sum[TILE_ROWS * TILE_TOKENS][K3_LANES];

	for (size_t r = 0; r < m->rows; r += TILE_ROWS)
		for (size_t t = 0; t < m->tokens; t += TILE_TOKENS) {
			struct block b = { .w = m->w + r * m->stride,
				.x = m->x + t * m->ldx,
				.stride = m->stride,
				.ldx = m->ldx,
				.rows = least(m->rows - r, TILE_ROWS),
				.tokens = least(m->tokens - t, TILE_TOKENS),
				.sum = sum };

			outputs(b, l, m->n);
			for (size_t k = 0; k < b.tokens; k++)
				k3_reduce_rows(sum + k * b.rows,
				    m->y + (t + k) * m->ldy + r, b.rows);
		}
}

#endif
