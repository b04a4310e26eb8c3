/*
 * impl.h - what kernel files share; no one outside kernels/ includes it
 */
#ifndef K3_KERNELS_IMPL_H
#define K3_KERNELS_IMPL_H

#include <string.h>

#include "kernels/kernels.h"

#ifdef __FAST_MATH__
#error "kernels return defined bits: build them without -ffast-math"
#endif

k3_mul_fn k3_mul_f32_scalar, k3_mul_f32_avx2, k3_mul_f32_avx512;
k3_mul_fn k3_mul_bf16_scalar, k3_mul_bf16_avx2, k3_mul_bf16_avx512;
k3_mul_fn k3_mul_mxfp4_scalar, k3_mul_mxfp4_avx2, k3_mul_mxfp4_avx512;
k3_mul_fn k3_tmul_f32_scalar, k3_tmul_f32_avx2, k3_tmul_f32_avx512;
k3_mul_fn k3_tmul_bf16_scalar, k3_tmul_bf16_avx2, k3_tmul_bf16_avx512;
k3_silu_fn k3_silu_scalar, k3_silu_avx2;
k3_sigmoid_fn k3_sigmoid_scalar, k3_sigmoid_avx2;
k3_situ_fn k3_situ_scalar, k3_situ_avx2;
k3_gate_fn k3_gate_scalar, k3_gate_avx2;
k3_decay_fn k3_decay_scalar, k3_decay_avx2;
k3_axpy_fn k3_axpy_scalar, k3_axpy_avx2;
k3_conv_fn k3_conv_scalar, k3_conv_avx2;
k3_kda_fn k3_kda_scalar, k3_kda_avx2, k3_kda_avx512;
k3_softmax_fn k3_softmax_scalar, k3_softmax_avx2;

k3_mul_fn k3_mul_f32_neon, k3_mul_bf16_neon, k3_mul_mxfp4_neon;
k3_mul_fn k3_tmul_f32_neon, k3_tmul_bf16_neon;
k3_silu_fn k3_silu_neon;
k3_sigmoid_fn k3_sigmoid_neon;
k3_situ_fn k3_situ_neon;
k3_gate_fn k3_gate_neon;
k3_decay_fn k3_decay_neon;
k3_axpy_fn k3_axpy_neon;
k3_conv_fn k3_conv_neon;
k3_kda_fn k3_kda_neon;
k3_softmax_fn k3_softmax_neon;

void k3_kern_init_x86(struct k3_kern *, unsigned);
void k3_kern_init_arm(struct k3_kern *, unsigned);

/* Stored weights have no alignment: shards align nothing. */
static inline float
k3_load_f32(const uint8_t *p)
{
	float f;

	memcpy(&f, p, sizeof(f));
	return f;
}

/* A bf16 is the upper half of a float32. */
static inline float
k3_load_bf16(const uint8_t *p)
{
	uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 24;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* 2^(e - 127), for e up to K3_MX_MAX; e = 0 is a denormal. */
static inline float
k3_mx_scale(uint8_t e)
{
	uint32_t bits = e == 0 ? 1u << 22 : (uint32_t)e << 23;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/*
 * Add up the lanes in the one order that all variants use: 16 to 8 to 4 to 2
 * to 1, each time the upper half onto the lower.
 */
static inline float
k3_reduce(float a[static K3_LANES])
{
	for (int w = K3_LANES / 2; w > 0; w /= 2)
		for (int i = 0; i < w; i++)
			a[i] += a[i + w];
	return a[0];
}

#endif
