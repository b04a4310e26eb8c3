/*
 * x86/tmul_f32_avx2.c - activations times rows of f32 weights, as defined, AVX2
 */
#include "kernels/tmul.h"

void
k3_tmul_f32_avx2(const struct k3_mul *m)
{
	k3_tmul_def(m, k3_load_f32, 4);
}
