/*
 * arm/tmul_bf16_neon.c - activations times rows of bf16 weights, NEON
 */
#include "kernels/arm/tmul_neon.h"

void
k3_tmul_bf16_neon(const struct k3_mul *m)
{
	const struct k3_columns l = { k3_neon_bf16, k3_load_bf16, 2 };

	k3_tmul_tiles(m, l);
}
