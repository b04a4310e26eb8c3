/*
 * x86/mul_bf16_avx512.c - rows of bf16 weights times activations, AVX-512
 */
#include "kernels/x86/vec_avx512.h"

#include "kernels/tile.h"

static inline k3_vec
load(const uint8_t *w, size_t part)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)w);

	(void)part;
	return _mm512_castsi512_ps(
	    _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}

void
k3_mul_bf16_avx512(const struct k3_mul *m)
{
	const struct k3_stored l = { load, k3_vec_floats, k3_vec_put, 2 };

	k3_mul_tiles(m, l);
}
