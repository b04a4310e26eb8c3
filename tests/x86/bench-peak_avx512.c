/*
 * x86/bench-peak_avx512.c - how fast memory can be read and FMAs be done,
 * AVX-512
 *
 * Twelve chains: more than two pipes of four cycles, or of five, need.
 */
#include <immintrin.h>

#include "tests/bench.h"

#define CHAINS 12

uint64_t
bench_read_avx512(const uint8_t *p, size_t len)
{
	__m512i s[4] = { 0 };
	uint64_t out[4 * sizeof(s[0]) / 8], sum = 0;

	for (size_t i = 0; i < len; i += sizeof(s))
		for (size_t k = 0; k < 4; k++)
			s[k] = _mm512_add_epi64(s[k],
			    _mm512_loadu_si512(
				(const void *)(p + i + k * sizeof(s[0]))));
	for (size_t k = 0; k < 4; k++)
		_mm512_storeu_si512((void *)(out + k * sizeof(s[0]) / 8), s[k]);
	for (size_t k = 0; k < sizeof(out) / 8; k++)
		sum += out[k];
	return sum;
}

float
bench_fma_avx512(size_t n)
{
	const __m512 a = _mm512_set1_ps(0.5f), b = _mm512_set1_ps(1.0f);
	__m512 s[CHAINS];
	float out[16];

	for (int k = 0; k < CHAINS; k++)
		s[k] = _mm512_setzero_ps();
	for (size_t i = 0; i < n; i += CHAINS * 16)
		for (int k = 0; k < CHAINS; k++)
			s[k] = _mm512_fmadd_ps(s[k], a, b);
	for (int k = 1; k < CHAINS; k++)
		s[0] = _mm512_add_ps(s[0], s[k]);
	_mm512_storeu_ps(out, s[0]);
	return out[0];
}
