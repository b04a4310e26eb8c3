/*
 * x86/mul_bf16_avx2.c - rows of bf16 weights times activations, AVX2
 */
#include "kernels/x86/vec_avx2.h"

#include "kernels/tile.h"

void
k3_mul_bf16_avx2(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_vec_bf16, 2 };

	k3_mul_tiles(m, l);
}
