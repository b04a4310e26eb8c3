/*
 * x86/mul_bf16_avx512.c - rows of bf16 weights times activations, AVX-512
 */
#include "kernels/x86/vec_avx512.h"

#include "kernels/tile.h"

void
k3_mul_bf16_avx512(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_vec_bf16, 2 };

	k3_mul_tiles(m, l);
}
