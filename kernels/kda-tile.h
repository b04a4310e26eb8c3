/*
 * kda-tile.h - tokens through a KDA head, for any vector
 *
 * Included by a variant after its header of columns.  The first token's decay
 * and u = s^T k go through the state row by row, as it comes from memory.  Then
 * a strip of columns stays in the first cache over all tokens, and one pass
 * over it does the rest of a token and the beginning of the next.
 */
#ifndef K3_KERNELS_KDA_TILE_H
#define K3_KERNELS_KDA_TILE_H

#include <stdbool.h>

#include "kernels/step.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	VECTORS = 4,
	STRIP = VECTORS * K3_COL,
	WIDE = 128 /* columns whose u is kept between the two: a multiple */
};

/* 'n' columns from 'j' on, a multiple of K3_COL: their first u. */
static inline void
first(const struct k3_kda *a, size_t j, size_t n, float *u)
{
	for (size_t c = 0; c < n; c++)
		u[c] = 0;
	for (size_t i = 0; i < a->dim; i++) {
		float *s = a->s + i * a->dim + j;
		k3_col d = k3_col_all(a->decay[i]), k = k3_col_all(a->k[i]);

		for (size_t c = 0; c < n; c += K3_COL) {
			k3_col x = k3_col_mul(k3_col_load(s + c), d);

			k3_col_store(s + c, x);
			k3_col_store(u + c,
			    k3_col_fma(x, k, k3_col_load(u + c)));
		}
	}
}

/*
 * Token 't' of 'nv' vectors of columns from 'j' on, but for its u, which is
 * replaced by that of the next token, if there is one.
 */
INLINE void
token(const struct k3_kda *a, size_t j, size_t nv, size_t t, bool more,
    k3_col *u)
{
	const float *q = a->q + t * a->ld, *k = a->k + t * a->ld;
	const float *kn = more ? k + a->ld : k;
	const float *dn = more ? a->decay + (t + 1) * a->ld : k;
	k3_col o[VECTORS], un[VECTORS];

	for (size_t v = 0; v < nv; v++)
		o[v] = un[v] = k3_col_all(0);
	for (size_t i = 0; i < a->dim; i++) {
		float *s = a->s + i * a->dim + j;

		k3_col kb = k3_col_all(k[i]), qb = k3_col_all(q[i]);
		k3_col db = k3_col_all(dn[i]), knb = k3_col_all(kn[i]);

		for (size_t v = 0; v < nv; v++) {
			k3_col x = k3_col_load(s + v * K3_COL);

			x = k3_col_fma(kb, u[v], x);
			o[v] = k3_col_fma(x, qb, o[v]);
			if (more) {
				x = k3_col_mul(x, db);
				un[v] = k3_col_fma(x, knb, un[v]);
			}
			k3_col_store(s + v * K3_COL, x);
		}
	}
	for (size_t v = 0; v < nv; v++) {
		k3_col_store(a->o + t * a->ld + j + v * K3_COL, o[v]);
		u[v] = un[v];
	}
}

INLINE void
strip(const struct k3_kda *a, size_t j, size_t nv, const float *first)
{
	k3_col u[VECTORS];

	for (size_t v = 0; v < nv; v++)
		u[v] = k3_col_load(first + v * K3_COL);
	for (size_t t = 0; t < a->tokens; t++) {
		const float *value = a->v + t * a->ld + j;
		k3_col beta = k3_col_all(a->beta[t * a->ldbeta]);

		for (size_t v = 0; v < nv; v++)
			u[v] = k3_col_mul(beta,
			    k3_col_sub(k3_col_load(value + v * K3_COL), u[v]));
		if (t + 1 < a->tokens)
			token(a, j, nv, t, true, u);
		else
			token(a, j, nv, t, false, u);
	}
}

INLINE void
k3_kda_tiles(const struct k3_kda *a)
{
	size_t whole = a->dim / K3_COL * K3_COL;
	float u[WIDE];

	if (a->tokens == 0)
		return;
	for (size_t j = 0, n; j < whole; j += n) {
		size_t c;

		n = whole - j < WIDE ? whole - j : WIDE;
		first(a, j, n, u);
		for (c = 0; n - c >= STRIP; c += STRIP)
			strip(a, j + c, VECTORS, u + c);
		for (; c < n; c += K3_COL)
			strip(a, j + c, 1, u + c);
	}
	if (whole < a->dim)
		for (size_t t = 0; t < a->tokens; t++)
			k3_kda_token(a, t, whole, a->dim - whole);
}

#endif
