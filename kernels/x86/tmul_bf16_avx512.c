/*
 * x86/tmul_bf16_avx512.c - activations times rows of bf16 weights, AVX-512
 */
#include "kernels/x86/col_avx512.h"

#include "kernels/tmul-tile.h"

void
k3_tmul_bf16_avx512(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_col_bf16, k3_load_bf16, 2 };

	k3_tmul_tiles(m, l);
}
