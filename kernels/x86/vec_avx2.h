/*
 * x86/vec_avx2.h - what kernels/tile.h is written over, in AVX2
 *
 * Sixteen sums are two registers of 16.  A tile of four tokens works on eight
 * sums at a time, and goes over its weights twice.
 */
#ifndef K3_KERNELS_X86_VEC_AVX2_H
#define K3_KERNELS_X86_VEC_AVX2_H

#include "kernels/x86/reduce.h"

typedef __m256 k3_vec;

enum {
	K3_VEC = 8,
	K3_TILE_MOST = 4
};

static inline k3_vec
k3_vec_zero(void)
{
	return _mm256_setzero_ps();
}

static inline k3_vec
k3_vec_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

static inline void
k3_vec_store(float *p, k3_vec v)
{
	_mm256_storeu_ps(p, v);
}

static inline k3_vec
k3_vec_fma(k3_vec a, k3_vec b, k3_vec c)
{
	return _mm256_fmadd_ps(a, b, c);
}

static inline k3_vec
k3_vec_f32(const uint8_t *w)
{
	return _mm256_loadu_ps((const void *)w);
}

static inline k3_vec
k3_vec_bf16(const uint8_t *w)
{
	__m128i v = _mm_loadu_si128((const __m128i *)w);

	return _mm256_castsi256_ps(
	    _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

/* Keep 'v' in a register: it is used more often than loading it is free. */
static inline k3_vec
k3_vec_hold(k3_vec v)
{
	__asm__("" : "+x"(v));
	return v;
}

/* Rows by tokens of a tile, its sums in 12 registers at most. */
static inline size_t
k3_tile_rows(size_t tokens)
{
	return tokens == 1 ? 4 : tokens == 3 ? 4 : 3;
}

/* The registers that an output's sums take in a tile. */
static inline size_t
k3_tile_parts(size_t tokens)
{
	return tokens <= 2 ? 2 : 1;
}

#endif
