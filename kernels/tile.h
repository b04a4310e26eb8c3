/*
 * tile.h - rows of stored weights times activations, for any vector
 *
 * Included by a variant after its header of vectors, which gives a vector of
 * K3_VEC floats (k3_vec, k3_vec_zero, _load, _store, _fma, _hold), the shapes
 * of tiles that fit its registers (k3_tile_*) and k3_reduce_rows().  All is
 * inlined into the variant, with the functions that know its type.
 *
 * A tile is some rows by some tokens: a loaded weight serves all its tokens, a
 * loaded activation all its rows, and there are enough chains of fma to hide
 * their latency.  Tiles are taken block by block, so that weights come from
 * memory once and then from a cache, for all groups of tokens.  Between tiles
 * the sixteen sums of each output wait in memory.
 */
#ifndef K3_KERNELS_TILE_H
#define K3_KERNELS_TILE_H

#include <stdbool.h>

#include "kernels/impl.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	TILE_TOKENS = 16, /* of a block */
	TILE_SIDE = 8,    /* rows or tokens of a tile, at most */
	TILE_PARTS = 2,   /* of the sums, in a tile */
	TILE_LINE = 64,   /* bytes that one hint fetches */
};

/* From so many bytes on, weights are taken to come from memory. */
#define TILE_FAR ((size_t)1 << 20)

/*
 * A stored type: 'load' gives one part of sixteen weights, 'floats' the same
 * part of sixteen floats, in the order of lanes that suits the type, and
 * 'store' puts such a part back in its place.  A weight has 'size' bytes.
 */
struct k3_stored {
	k3_vec (*load)(const uint8_t *w, size_t part);
	k3_vec (*floats)(const float *x, size_t part);
	void (*store)(float *s, size_t part, k3_vec v);
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
	const uint8_t *fetch;   /* weights to bring near; NULL: none */
	float *packed; /* a group's activations: [part][n / 16][tokens] */
};

/* Rows by tokens, in registers; their weights and activations. */
struct tile {
	k3_vec s[TILE_SIDE][TILE_SIDE][TILE_PARTS];
	const uint8_t *w[TILE_SIDE];
	const float *x[TILE_SIDE];
};

INLINE size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* 'n' in as few pieces of at most 'most' as will do: the size of the first. */
INLINE size_t
share(size_t n, size_t most)
{
	size_t pieces = (n + most - 1) / most;

	return pieces == 0 ? 0 : (n + pieces - 1) / pieces;
}

/* Part 'p' of elements i to i + 16 of token 'j' of the 'nt' of a tile. */
INLINE k3_vec
activation(const struct tile *a, struct k3_stored l, size_t nt, size_t i,
    size_t p, size_t j)
{
	if (k3_tile_packs(nt))
		return k3_vec_load(a->x[0] + j * K3_VEC);
	return l.floats(a->x[j] + i, p);
}

/* That many rows by tokens: the fewer are held in registers. */
INLINE void
step(struct tile *a, struct k3_stored l, size_t nr, size_t nt, size_t i,
    size_t p, size_t q)
{
	k3_vec v[TILE_SIDE];

	if (nr <= nt) {
		for (size_t k = 0; k < nr; k++)
			v[k] = l.load(a->w[k] + i * l.size, p);
		for (size_t j = 0; j < nt; j++) {
			k3_vec x = k3_vec_hold(activation(a, l, nt, i, p, j));

			for (size_t k = 0; k < nr; k++)
				a->s[k][j][q] =
				    k3_vec_fma(v[k], x, a->s[k][j][q]);
		}
		return;
	}
	for (size_t j = 0; j < nt; j++)
		v[j] = activation(a, l, nt, i, p, j);
	for (size_t k = 0; k < nr; k++) {
		k3_vec w = l.load(a->w[k] + i * l.size, p);

		if (nt > 1)
			w = k3_vec_hold(w);
		for (size_t j = 0; j < nt; j++)
			a->s[k][j][q] = k3_vec_fma(w, v[j], a->s[k][j][q]);
	}
}

/* All elements.  As many bytes are fetched as are worked on. */
INLINE void
steps(struct tile *a, struct block *b, struct k3_stored l, size_t nr, size_t nt,
    size_t p, size_t np, bool fetch)
{
	const uint8_t *f = b->fetch;
	size_t bytes = nr * K3_LANES * l.size;

	for (size_t i = 0; i < b->n; i += K3_LANES) {
		if (fetch) {
			for (size_t c = 0; c < bytes; c += TILE_LINE)
				__builtin_prefetch(f + c, 0, 2);
			f += bytes;
		}
		for (size_t q = 0; q < np; q++)
			step(a, l, nr, nt, i, p + q, q);
		if (k3_tile_packs(nt))
			a->x[0] += nt * K3_VEC;
	}
	if (fetch)
		b->fetch = f;
}

/*
 * Parts 'p' to p + np of the sums of rows 'r' on and tokens 't' on.  Rows past
 * the last are the last one again.
 */
INLINE void
tile(struct block *b, struct k3_stored l, size_t r, size_t nr, size_t t,
    size_t nt, size_t p, size_t np)
{
	float(*sum)[K3_LANES] = b->sum + t * b->rows;
	size_t row[TILE_SIDE];
	struct tile a;

	for (size_t j = 0; j < nt; j++)
		a.x[j] = b->x + (t + j) * b->ldx;
	if (k3_tile_packs(nt))
		a.x[0] = b->packed + p * (b->n / K3_LANES) * nt * K3_VEC;
	for (size_t k = 0; k < nr; k++) {
		row[k] = least(r + k, b->rows - 1);
		a.w[k] = b->w + row[k] * b->stride;
	}
	for (size_t k = 0; k < nr; k++)
		for (size_t j = 0; j < nt; j++)
			for (size_t q = 0; q < np; q++)
				a.s[k][j][q] = k3_vec_zero();
	/* Zeros picked by a condition would go by way of memory. */
	if (!b->fresh)
		for (size_t k = 0; k < nr; k++)
			for (size_t j = 0; j < nt; j++)
				for (size_t q = 0; q < np; q++)
					a.s[k][j][q] =
					    l.floats(sum[j * b->rows + row[k]],
						p + q);
	if (p == 0 && t == 0 && b->fetch != NULL)
		steps(&a, b, l, nr, nt, p, np, true);
	else
		steps(&a, b, l, nr, nt, p, np, false);
	for (size_t k = 0; k < nr; k++)
		for (size_t j = 0; j < nt; j++)
			for (size_t q = 0; q < np; q++)
				l.store(sum[j * b->rows + row[k]], p + q,
				    a.s[k][j][q]);
}

/* All parts: as a constant, each has its own loop. */
INLINE void
parts(struct block *b, struct k3_stored l, size_t r, size_t nr, size_t t,
    size_t nt)
{
	size_t np = k3_tile_parts(nt);

	tile(b, l, r, nr, t, nt, 0, np);
	if (np < K3_LANES / K3_VEC)
		tile(b, l, r, nr, t, nt, np, np);
}

/* The activations of tokens 't' to t + nt, side by side. */
INLINE void
pack(const struct block *b, struct k3_stored l, size_t t, size_t nt)
{
	float *to = b->packed;

	for (size_t p = 0; p < K3_LANES / K3_VEC; p++)
		for (size_t i = 0; i < b->n; i += K3_LANES)
			for (size_t j = 0; j < nt; j++, to += K3_VEC)
				k3_vec_store(to,
				    l.floats(b->x + (t + j) * b->ldx + i, p));
}

/* All rows times tokens 't' to t + nt. */
INLINE void
group(struct block *b, struct k3_stored l, size_t t, size_t nt)
{
	size_t r = 0;

	if (nt > K3_TILE_MOST)
		return;
	if (k3_tile_packs(nt))
		pack(b, l, t, nt);
	if (nt == 1 && b->fetch != NULL)
		for (; r + 1 < b->rows; r += K3_TILE_STREAMS)
			parts(b, l, r, K3_TILE_STREAMS, t, nt);
	for (; r + 1 < b->rows; r += k3_tile_rows(nt))
		parts(b, l, r, k3_tile_rows(nt), t, nt);
	if (r < b->rows)
		parts(b, l, r, 1, t, nt);
}

/* All rows times all tokens, in groups of about the same size. */
INLINE void
groups(struct block *b, struct k3_stored l)
{
	for (size_t t = 0, nt; t < b->tokens; t += nt) {
		nt = share(b->tokens - t, K3_TILE_MOST);
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
	uint8_t w[K3_TILE_BLOCK * K3_LANES * sizeof(float)];
	float x[TILE_TOKENS][K3_LANES];
	size_t i = 0;

	b.fresh = true;
	do {
		b.n = least(n - i, k3_tile_elements(b.tokens)) / K3_LANES *
		      K3_LANES;
		if (b.n == 0) {
			pad(&b, w, x, n - i, l.size);
			b.w = w;
			b.stride = K3_LANES * l.size;
			b.x = x[0];
			b.ldx = b.n = K3_LANES;
		}
		groups(&b, l);
		b.w += b.n * l.size;
		b.x += b.n;
		b.fresh = false;
		i += b.n;
	} while (i < n);
}

/* From weights in use to those that are fetched: tiles are taken in the order
 * of memory, or else whole blocks are. */
INLINE size_t
ahead(const struct block *b, size_t n)
{
	return b->stride * (k3_tile_elements(b->tokens) < n
				   ? b->rows
				   : k3_tile_rows(b->tokens));
}

INLINE void
k3_mul_tiles(const struct k3_mul *m, struct k3_stored l)
{
	_Alignas(64) float sum[K3_TILE_BLOCK * TILE_TOKENS][K3_LANES];
	_Alignas(64) float packed[K3_TILE_PACKED];

	size_t rows = share(m->rows, K3_TILE_BLOCK);

	for (size_t r = 0; r < m->rows; r += rows)
		for (size_t t = 0; t < m->tokens; t += TILE_TOKENS) {
			struct block b = { .w = m->w + r * m->stride,
				.x = m->x + t * m->ldx,
				.stride = m->stride,
				.ldx = m->ldx,
				.rows = least(m->rows - r, rows),
				.tokens = least(m->tokens - t, TILE_TOKENS),
				.sum = sum,
				.packed = packed };

			if (t == 0 && m->rows * m->stride >= TILE_FAR)
				b.fetch = b.w + ahead(&b, m->n);
			outputs(b, l, m->n);
			for (size_t k = 0; k < b.tokens; k++)
				k3_reduce_rows(sum + k * b.rows,
				    m->y + (t + k) * m->ldy + r, b.rows);
		}
}

#endif
