/*
 * arm/rows_neon.h - rows of weights times activations, NEON: the loops
 *
 * All is inlined into a variant, with the function that loads its type.
 *
 * A tile is some rows by some tokens: a loaded weight serves all its tokens, a
 * loaded activation all its rows.  Of three tokens and more, it works on some
 * of the sixteen sums at a time and goes over its weights again for the others,
 * which then are in the first cache; of one or two, whose weights come from
 * memory, on all at once.  Sums are in 24 registers at most.
 *
 * Tiles are taken block by block, so that the activations of a group of tokens
 * stay in the first cache while all rows of a block pass by.  Between blocks
 * of elements the sums wait in memory.
 */
#ifndef K3_KERNELS_ARM_ROWS_NEON_H
#define K3_KERNELS_ARM_ROWS_NEON_H

#include "kernels/arm/reduce.h"
#include "kernels/arm/vec_neon.h"

#define INLINE static inline __attribute__((always_inline))

/* At most so large is a block; its sums are 48 KB. */
enum {
	BLOCK_ROWS = 48,
	BLOCK_TOKENS = 16,
	BLOCK_ELEMENTS = 1024, /* if there are several groups of tokens */
	GROUP = 6,             /* tokens of a tile */
};

/* A stored type: how four weights are loaded, and the bytes of one. */
struct k3_stored {
	float32x4_t (*load)(const uint8_t *w);
	size_t size;
};

/* Elements are a multiple of 16. */
struct k3_block {
	const uint8_t *w;
	const float *x;
	size_t stride, ldx;
	size_t rows, tokens, n;
	float (*sum)[K3_LANES]; /* [tokens][rows] */
};

INLINE size_t
k3_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * 'np' vectors of sums from 'p' on, of rows 'r' on and tokens 't' on.  Rows
 * past the last are the last one again.  The pragmas make all of 's' registers.
 */
INLINE void
tile(const struct k3_block *b, struct k3_stored l, size_t r, size_t nr,
    size_t t, size_t nt, size_t p, size_t np)
{
	float32x4_t s[GROUP][GROUP][K3_LANES / K3_VEC];
	const uint8_t *w[GROUP];
	const float *x[GROUP];
	float *sum[GROUP];

#pragma GCC unroll 8
	for (size_t j = 0; j < nt; j++)
		x[j] = b->x + (t + j) * b->ldx + p * K3_VEC;
#pragma GCC unroll 8
	for (size_t k = 0; k < nr; k++) {
		size_t row = k3_least(r + k, b->rows - 1);

		w[k] = b->w + row * b->stride + p * K3_VEC * l.size;
		sum[k] = b->sum[t * b->rows + row] + p * K3_VEC;
#pragma GCC unroll 8
		for (size_t j = 0; j < nt; j++)
#pragma GCC unroll 8
			for (size_t q = 0; q < np; q++)
				s[k][j][q] =
				    vld1q_f32(sum[k] + j * b->rows * K3_LANES +
					      q * K3_VEC);
	}
	for (size_t i = 0; i < b->n; i += K3_LANES)
#pragma GCC unroll 8
		for (size_t q = 0; q < np; q++) {
			float32x4_t a[GROUP];

#pragma GCC unroll 8
			for (size_t k = 0; k < nr; k++)
				a[k] = l.load(w[k] + (i + q * K3_VEC) * l.size);
#pragma GCC unroll 8
			for (size_t j = 0; j < nt; j++) {
				float32x4_t v;

				k3_neon_order();
				v = vld1q_f32(x[j] + i + q * K3_VEC);

#pragma GCC unroll 8
				for (size_t k = 0; k < nr; k++)
					s[k][j][q] =
					    vfmaq_f32(s[k][j][q], a[k], v);
			}
		}
#pragma GCC unroll 8
	for (size_t k = 0; k < nr; k++)
#pragma GCC unroll 8
		for (size_t j = 0; j < nt; j++)
#pragma GCC unroll 8
			for (size_t q = 0; q < np; q++)
				vst1q_f32(sum[k] + j * b->rows * K3_LANES +
					      q * K3_VEC,
				    s[k][j][q]);
}

/* All rows times 'nt' tokens from 't' on, in tiles of 'nr' rows. */
INLINE void
group(const struct k3_block *b, struct k3_stored l, size_t t, size_t nt,
    size_t nr, size_t np)
{
	for (size_t r = 0; r < b->rows; r += nr)
		for (size_t p = 0; p < K3_LANES / K3_VEC; p += np)
			tile(b, l, r, nr, t, nt, p, np);
}

/* Add a block to its sums: all tokens, in groups of about the same size. */
INLINE void
k3_add_block(const struct k3_block *b, struct k3_stored l)
{
	for (size_t t = 0, nt; t < b->tokens; t += nt) {
		size_t left = b->tokens - t;
		size_t most = (left + GROUP - 1) / GROUP;

		nt = (left + most - 1) / most;
		switch (nt) {
		case 1:
			group(b, l, t, 1, 4, 4);
			break;
		case 2:
			group(b, l, t, 2, 3, 4);
			break;
		case 3:
			group(b, l, t, 3, 4, 2);
			break;
		case 4:
			group(b, l, t, 4, 6, 1);
			break;
		case 5:
			group(b, l, t, 5, 4, 1);
			break;
		default:
			group(b, l, t, 6, 4, 1);
		}
	}
}

/*
 * The last elements, less than sixteen, as a block of their own.  What is added
 * to them gives products of -0, which change no sum, not even one of -0.
 */
static inline void
pad(struct k3_block *b, uint8_t *w, float (*x)[K3_LANES], size_t n, size_t size)
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
	b->w = w;
	b->stride = K3_LANES * size;
	b->x = x[0];
	b->ldx = b->n = K3_LANES;
}

/* All elements of a block, to its sums. */
INLINE void
all_elements(struct k3_block b, struct k3_stored l, size_t n)
{
	uint8_t w[BLOCK_ROWS * K3_LANES * sizeof(float)];
	float x[BLOCK_TOKENS][K3_LANES];
	size_t most = b.tokens > GROUP ? BLOCK_ELEMENTS : n;

	memset(b.sum, 0, b.rows * b.tokens * sizeof(*b.sum));
	for (size_t i = 0; i < n; i += b.n) {
		b.n = k3_least(n - i, most) / K3_LANES * K3_LANES;
		if (b.n == 0)
			pad(&b, w, x, n - i, l.size);
		k3_add_block(&b, l);
		b.w += b.n * l.size;
		b.x += b.n;
	}
}

INLINE void
k3_mul_rows(const struct k3_mul *m, struct k3_stored l)
{
	float sum[BLOCK_ROWS * BLOCK_TOKENS][K3_LANES];

	for (size_t r = 0; r < m->rows; r += BLOCK_ROWS)
		for (size_t t = 0; t < m->tokens; t += BLOCK_TOKENS) {
			struct k3_block b = { .w = m->w + r * m->stride,
				.x = m->x + t * m->ldx,
				.stride = m->stride,
				.ldx = m->ldx,
				.rows = k3_least(m->rows - r, BLOCK_ROWS),
				.tokens = k3_least(m->tokens - t, BLOCK_TOKENS),
				.sum = sum };

			all_elements(b, l, m->n);
			for (size_t k = 0; k < b.tokens; k++)
				k3_reduce_rows(sum + k * b.rows,
				    m->y + (t + k) * m->ldy + r, b.rows);
		}
}

#endif
