/*
 * x86/vec_avx512.h - what kernels/tile.h is written over, in AVX-512
 *
 * Sixteen sums are one of the 32 registers.
 */
#ifndef K3_KERNELS_X86_VEC_AVX512_H
#define K3_KERNELS_X86_VEC_AVX512_H

#include <stdbool.h>

#include "kernels/x86/intrin.h"
#include "kernels/x86/reduce.h"

typedef __m512 k3_vec;

enum {
	K3_VEC = 16,
	K3_TILE_MOST = 6,    /* tokens of a tile */
	K3_TILE_BLOCK = 48,  /* rows of a block: 48 KB of sums */
	K3_TILE_STREAMS = 2, /* rows, of one token and from memory */
	K3_TILE_PACKED = 1,  /* no activations are copied */
};

static inline k3_vec
k3_vec_zero(void)
{
	return _mm512_setzero_ps();
}

static inline k3_vec
k3_vec_load(const float *p)
{
	return _mm512_loadu_ps(p);
}

static inline void
k3_vec_store(float *p, k3_vec v)
{
	_mm512_storeu_ps(p, v);
}

static inline k3_vec
k3_vec_fma(k3_vec a, k3_vec b, k3_vec c)
{
	return _mm512_fmadd_ps(a, b, c);
}

/* Keep 'v' in a register: it is used more often than loading it is free. */
static inline k3_vec
k3_vec_hold(k3_vec v)
{
#ifndef K3_EMULATE_AVX512
	__asm__("" : "+v"(v));
#endif
	return v;
}

/* The whole of sixteen floats, from and to memory. */
static inline k3_vec
k3_vec_floats(const float *x, size_t part)
{
	(void)part;
	return _mm512_loadu_ps(x);
}

static inline void
k3_vec_put(float *s, size_t part, k3_vec v)
{
	(void)part;
	_mm512_storeu_ps(s, v);
}

/* The sums of a tile are at most 24 registers. */
static inline size_t
k3_tile_rows(size_t tokens)
{
	return tokens == 2 || tokens == 3 ? 8 : tokens <= 4 ? 6 : 4;
}

static inline size_t
k3_tile_parts(size_t tokens)
{
	(void)tokens;
	return 1;
}

/* A tile takes little enough of its activations to have them from the second
 * cache, as they stand and over all elements. */
static inline bool
k3_tile_packs(size_t tokens)
{
	(void)tokens;
	return false;
}

static inline size_t
k3_tile_elements(size_t tokens)
{
	(void)tokens;
	return SIZE_MAX;
}

#endif
