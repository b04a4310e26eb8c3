/*
 * x86/mul_bf16_avx2.c - rows of bf16 weights times activations, AVX2
 *
 * Words are unpacked within the halves of a register: one part of sixteen is
 * 0-3 and 8-11, the other 4-7 and 12-15.
 */
#include "kernels/x86/vec_avx2.h"

#include "kernels/tile.h"

/* The zero is made anew each time: there is no register to keep it. */
static inline k3_vec
load(const uint8_t *w, size_t part)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)w), zero;

	__asm__ volatile("vpxor %0, %0, %0" : "=x"(zero));
	return _mm256_castsi256_ps(part == 0 ? _mm256_unpacklo_epi16(zero, v)
					     : _mm256_unpackhi_epi16(zero, v));
}

static inline k3_vec
floats(const float *x, size_t part)
{
	x += part * 4;
	return _mm256_set_m128(_mm_loadu_ps(x + 8), _mm_loadu_ps(x));
}

static inline void
store(float *s, size_t part, k3_vec v)
{
	s += part * 4;
	_mm_storeu_ps(s, _mm256_castps256_ps128(v));
	_mm_storeu_ps(s + 8, _mm256_extractf128_ps(v, 1));
}

void
k3_mul_bf16_avx2(const struct k3_mul *m)
{
	const struct k3_stored l = { load, floats, store, 2 };

	k3_mul_tiles(m, l);
}
