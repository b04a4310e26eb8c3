/*
 * tmul_f32.c - activations times rows of f32 weights: the definition
 */
#include "kernels/tmul.h"

void
k3_tmul_f32_scalar(const struct k3_mul *m)
{
	k3_tmul_def(m, k3_load_f32, 4);
}
