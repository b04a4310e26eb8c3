/*
 * arm/mul_f32_neon.c - rows of f32 weights times activations, NEON
 */
#include "kernels/arm/rows_neon.h"

void
k3_mul_f32_neon(const struct k3_mul *m)
{
	const struct k3_stored l = { k3_neon_f32, 4 };

	k3_mul_rows(m, l);
}
