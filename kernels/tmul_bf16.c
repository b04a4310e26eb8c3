/*
 * tmul_bf16.c - activations times rows of bf16 weights: the definition
 */
#include "kernels/tmul.h"

void
k3_tmul_bf16_scalar(const struct k3_mul *m)
{
	k3_tmul_def(m, k3_load_bf16, 2);
}
