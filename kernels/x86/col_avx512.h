/*
 * x86/col_avx512.h - columns that are independent of each other, in AVX-512
 */
#ifndef K3_KERNELS_X86_COL_AVX512_H
#define K3_KERNELS_X86_COL_AVX512_H

#include "kernels/impl.h"
#include "kernels/x86/intrin.h"

typedef __m512 k3_col;

/* Floats of a vector; a tile of tokens by vectors fills the registers. */
enum {
	K3_COL = 16,
	K3_COL_TOKENS = 6,
	K3_COL_VECTORS = 4
};

static inline k3_col
k3_col_load(const float *p)
{
	return _mm512_loadu_ps(p);
}

static inline void
k3_col_store(float *p, k3_col v)
{
	_mm512_storeu_ps(p, v);
}

static inline k3_col
k3_col_all(float f)
{
	return _mm512_set1_ps(f);
}

static inline k3_col
k3_col_mul(k3_col a, k3_col b)
{
	return _mm512_mul_ps(a, b);
}

static inline k3_col
k3_col_sub(k3_col a, k3_col b)
{
	return _mm512_sub_ps(a, b);
}

static inline k3_col
k3_col_fma(k3_col a, k3_col b, k3_col c)
{
	return _mm512_fmadd_ps(a, b, c);
}

static inline k3_col
k3_col_f32(const uint8_t *w)
{
	return _mm512_loadu_ps((const void *)w);
}

static inline k3_col
k3_col_bf16(const uint8_t *w)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)w);

	return _mm512_castsi512_ps(
	    _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}

#endif
