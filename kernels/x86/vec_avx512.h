/*
 * x86/vec_avx512.h - what kernels/tile.h is written over, in AVX-512
 *
 * Sixteen sums are one register, and there are 32 of them.
 */
#ifndef K3_KERNELS_X86_VEC_AVX512_H
#define K3_KERNELS_X86_VEC_AVX512_H

#include "kernels/x86/intrin.h"
#include "kernels/x86/reduce.h"

typedef __m512 k3_vec;

enum {
	K3_VEC = 16,
	K3_TILE_MOST = 6
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

static inline k3_vec
k3_vec_f32(const uint8_t *w)
{
	return _mm512_loadu_ps((const void *)w);
}

static inline k3_vec
k3_vec_bf16(const uint8_t *w)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)w);

	return _mm512_castsi512_ps(
	    _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
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

/* Rows by tokens of a tile, its sums in 24 registers. */
static inline size_t
k3_tile_rows(size_t tokens)
{
	return tokens == 1 ? 6 : tokens <= 3 ? 8 : tokens == 4 ? 6 : 4;
}

/* The registers that an output's sums take in a tile. */
static inline size_t
k3_tile_parts(size_t tokens)
{
	(void)tokens;
	return 1;
}

#endif
