/*
 * arm/vec_neon.h - four floats in a register, and how weights become such
 */
#ifndef K3_KERNELS_ARM_VEC_NEON_H
#define K3_KERNELS_ARM_VEC_NEON_H

#include <arm_neon.h>

#include "kernels/impl.h"

/* Floats of a register; sixteen sums are four of 32 registers. */
#define K3_VEC 4

/*
 * Loads that come after are not moved before: a compiler that moves them far
 * up has too few registers left for sums.
 */
static inline void
k3_neon_order(void)
{
	__asm__ volatile("" : : : "memory");
}

/* As bytes, since weights have no alignment. */
static inline float32x4_t
k3_neon_f32(const uint8_t *w)
{
	return vreinterpretq_f32_u8(vld1q_u8(w));
}

static inline float32x4_t
k3_neon_bf16(const uint8_t *w)
{
	uint16x4_t v = vreinterpret_u16_u8(vld1_u8(w));

	return vreinterpretq_f32_u32(vshll_n_u16(v, 16));
}

#endif
