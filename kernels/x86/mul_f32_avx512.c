/*
 * x86/mul_f32_avx512.c - rows of f32 weights times activations, AVX-512
 */
#include "kernels/x86/vec_avx512.h"

#include "kernels/tile.h"

void
k3_mul_f32_avx512(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_vec_f32, 4 };

	k3_mul_tiles(m, l);
}
