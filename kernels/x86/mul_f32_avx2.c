/*
 * x86/mul_f32_avx2.c - rows of f32 weights times activations, AVX2
 */
#include "kernels/x86/vec_avx2.h"

#include "kernels/tile.h"

void
k3_mul_f32_avx2(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_vec_weights, k3_vec_floats, k3_vec_put,
		4 };

	k3_mul_tiles(m, l);
}
