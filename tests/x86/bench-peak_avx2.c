/*
 * x86/bench-peak_avx2.c - how fast memory can be read and FMAs be done, AVX2
 *
 * Twelve chains: more than two pipes of four cycles, or of five, need.
 */
#include <immintrin.h>

#include "tests/bench.h"

#define CHAINS 12

uint64_t
bench_read_avx2(const uint8_t *p, size_t len)
{
	__m256i s[4] = { 0 };
	uint64_t out[4 * sizeof(s[0]) / 8], sum = 0;

	for (size_t i = 0; i < len; i += sizeof(s))
		for (size_t k = 0; k < 4; k++)
			s[k] = _mm256_add_epi64(s[k],
			    _mm256_loadu_si256(
				(const void *)(p + i + k * sizeof(s[0]))));
	for (size_t k = 0; k < 4; k++)
		_mm256_storeu_si256((void *)(out + k * sizeof(s[0]) / 8), s[k]);
	for (size_t k = 0; k < sizeof(out) / 8; k++)
		sum += out[k];
	return sum;
}

float
bench_fma_avx2(size_t n)
{
	const __m256 a = _mm256_set1_ps(0.5f), b = _mm256_set1_ps(1.0f);
	__m256 s[CHAINS];
	float out[8];

	for (int k = 0; k < CHAINS; k++)
		s[k] = _mm256_setzero_ps();
	for (size_t i = 0; i < n; i += CHAINS * 8)
		for (int k = 0; k < CHAINS; k++)
			s[k] = _mm256_fmadd_ps(s[k], a, b);
	for (int k = 1; k < CHAINS; k++)
		s[0] = _mm256_add_ps(s[0], s[k]);
	_mm256_storeu_ps(out, s[0]);
	return out[0];
}
