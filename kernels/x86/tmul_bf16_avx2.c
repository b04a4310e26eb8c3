/*
 * x86/tmul_bf16_avx2.c - activations times rows of bf16 weights, as defined,
 * AVX2
 */
#include "kernels/tmul.h"

void
k3_tmul_bf16_avx2(const struct k3_mul *m)
{
	k3_tmul_def(m, k3_load_bf16, 2);
}
