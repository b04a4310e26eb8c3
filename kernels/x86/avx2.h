/*
 * x86/avx2.h - sixteen sums in two AVX2 registers
 */
#ifndef K3_KERNELS_X86_AVX2_H
#define K3_KERNELS_X86_AVX2_H

#include <immintrin.h>

#include "kernels/impl.h"

/* Sixteen float32 values, or sums: lanes 0-7 and 8-15. */
struct k3_v16 {
	__m256 lo, hi;
};

static inline struct k3_v16
k3_v16_zero(void)
{
	struct k3_v16 v = { _mm256_setzero_ps(), _mm256_setzero_ps() };

	return v;
}

static inline struct k3_v16
k3_v16_f32(const void *p)
{
	const float *f = p;
	struct k3_v16 v = { _mm256_loadu_ps(f), _mm256_loadu_ps(f + 8) };

	return v;
}

/* Sixteen bf16 as they stand in memory, in order. */
static inline struct k3_v16
k3_v16_bf16(__m256i w)
{
	__m256i lo = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(w));
	__m256i hi = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(w, 1));
	struct k3_v16 v = { _mm256_castsi256_ps(_mm256_slli_epi32(lo, 16)),
		_mm256_castsi256_ps(_mm256_slli_epi32(hi, 16)) };

	return v;
}

static inline void
k3_v16_fma(struct k3_v16 *s, struct k3_v16 w, struct k3_v16 x)
{
	s->lo = _mm256_fmadd_ps(w.lo, x.lo, s->lo);
	s->hi = _mm256_fmadd_ps(w.hi, x.hi, s->hi);
}

/* The sums to memory, for a tail and k3_reduce(). */
static inline void
k3_v16_store(float s[K3_LANES], struct k3_v16 v)
{
	_mm256_storeu_ps(s, v.lo);
	_mm256_storeu_ps(s + 8, v.hi);
}

#endif
