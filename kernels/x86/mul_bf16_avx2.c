/*
 * x86/mul_bf16_avx2.c - rows of bf16 weights times activations, AVX2
 */
#include "kernels/x86/rows_avx2.h"

static inline struct k3_v16
load16(const uint8_t *w)
{
	return k3_v16_bf16(_mm256_loadu_si256((const __m256i *)w));
}

void
k3_mul_bf16_avx2(const struct k3_mul *m)
{
	const struct k3_loader l = { load16, k3_load_bf16, 2 };

	k3_mul_rows(m, l);
}
