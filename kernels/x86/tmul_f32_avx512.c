/*
 * x86/tmul_f32_avx512.c - activations times rows of f32 weights, AVX-512
 */
#include "kernels/x86/col_avx512.h"

#include "kernels/tmul-tile.h"

void
k3_tmul_f32_avx512(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_col_f32, k3_load_f32, 4 };

	k3_tmul_tiles(m, l);
}
