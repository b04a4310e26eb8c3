/*
 * arm/mul_bf16_neon.c - rows of bf16 weights times activations, NEON
 */
#include "kernels/arm/rows_neon.h"

void
k3_mul_bf16_neon(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_neon_bf16, 2 };

	k3_mul_rows(m, l);
}
