/*
 * arm/tmul_f32_neon.c - activations times rows of f32 weights, NEON
 */
#include "kernels/arm/tmul_neon.h"

void
k3_tmul_f32_neon(const struct k3_mul *m)
{
	const struct k3_columns l = { k3_neon_f32, k3_load_f32, 4 };

	k3_tmul_tiles(m, l);
}
