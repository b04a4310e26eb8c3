/*
 * x86/mul_f32_avx2.c - rows of f32 weights times activations, AVX2
 */
#include "kernels/x86/rows_avx2.h"

static inline struct k3_v16
load16(const uint8_t *w)
{
	return k3_v16_f32(w);
}

void
k3_mul_f32_avx2(const struct k3_mul *m)
{
	const struct k3_loader l = { load16, k3_load_f32, 4 };

	k3_mul_rows(m, l);
}
