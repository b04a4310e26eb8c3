/*
 * x86/col_avx2.h - columns that are independent of each other, in AVX2
 */
#ifndef K3_KERNELS_X86_COL_AVX2_H
#define K3_KERNELS_X86_COL_AVX2_H

#include <immintrin.h>

#include "kernels/impl.h"

typedef __m256 k3_col;

/* Floats of a vector; a tile of tokens by vectors fills the registers. */
enum {
	K3_COL = 8,
	K3_COL_TOKENS = 6,
	K3_COL_VECTORS = 2
};

static inline k3_col
k3_col_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

static inline void
k3_col_store(float *p, k3_col v)
{
	_mm256_storeu_ps(p, v);
}

static inline k3_col
k3_col_all(float f)
{
	return _mm256_set1_ps(f);
}

static inline k3_col
k3_col_mul(k3_col a, k3_col b)
{
	return _mm256_mul_ps(a, b);
}

static inline k3_col
k3_col_sub(k3_col a, k3_col b)
{
	return _mm256_sub_ps(a, b);
}

static inline k3_col
k3_col_fma(k3_col a, k3_col b, k3_col c)
{
	return _mm256_fmadd_ps(a, b, c);
}

static inline k3_col
k3_col_f32(const uint8_t *w)
{
	return _mm256_loadu_ps((const void *)w);
}

static inline k3_col
k3_col_bf16(const uint8_t *w)
{
	__m128i v = _mm_loadu_si128((const __m128i *)w);

	return _mm256_castsi256_ps(
	    _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

#endif
