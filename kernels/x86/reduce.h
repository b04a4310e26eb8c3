/*
 * x86/reduce.h - sums of several outputs added up together, AVX2
 */
#ifndef K3_KERNELS_X86_REDUCE_H
#define K3_KERNELS_X86_REDUCE_H

#include <immintrin.h>

#include "kernels/impl.h"

/* Sums 0-7 of an output, its upper half added. */
static inline __m256
k3_reduce_half(const float *s)
{
	return _mm256_add_ps(_mm256_loadu_ps(s), _mm256_loadu_ps(s + 8));
}

/* Four sums of output a, then four of b, of eight each. */
static inline __m256
k3_reduce_quarter(const float *a, const float *b)
{
	__m256 u = k3_reduce_half(a), v = k3_reduce_half(b);

	return _mm256_add_ps(_mm256_permute2f128_ps(u, v, 0x20),
	    _mm256_permute2f128_ps(u, v, 0x31));
}

/* y[i] = k3_reduce(s[i]), four at a time while there are four. */
static inline void
k3_reduce_rows(float (*s)[K3_LANES], float *y, size_t n)
{
	for (; n >= 4; n -= 4, s += 4, y += 4) {
		__m256 a = k3_reduce_quarter(s[0], s[2]);
		__m256 b = k3_reduce_quarter(s[1], s[3]);
		__m256 c = _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44),
		    _mm256_shuffle_ps(a, b, 0xee));
		__m128 d = _mm256_castps256_ps128(c);
		__m128 e = _mm256_extractf128_ps(c, 1);

		_mm_storeu_ps(y, _mm_add_ps(_mm_shuffle_ps(d, e, 0x88),
				     _mm_shuffle_ps(d, e, 0xdd)));
	}
	for (; n > 0; n--)
		*y++ = k3_reduce(*s++);
}

#endif
