/*
 * x86/mul_f32_avx512.c - rows of f32 weights times activations, AVX-512
 */
#include "kernels/x86/vec_avx512.h"

#include "kernels/tile.h"

static inline k3_vec
load(const uint8_t *w, size_t part)
{
	(void)part;
	return _mm512_loadu_ps((const void *)w);
}

void
k3_mul_f32_avx512(const struct k3_mul *m)
{
	const struct k3_stored l = { load, k3_vec_floats, k3_vec_put, 4 };

	k3_mul_tiles(m, l);
}
