/*
 * arm/reduce.h - sums of several outputs added up together, NEON
 */
#ifndef K3_KERNELS_ARM_REDUCE_H
#define K3_KERNELS_ARM_REDUCE_H

#include <arm_neon.h>

#include "kernels/impl.h"

/* Four sums of an output, of sixteen. */
static inline float32x4_t
k3_reduce_quarter(const float *s)
{
	return vaddq_f32(vaddq_f32(vld1q_f32(s), vld1q_f32(s + 8)),
	    vaddq_f32(vld1q_f32(s + 4), vld1q_f32(s + 12)));
}

/* Two sums of output a, then two of b, of four each. */
static inline float32x4_t
k3_reduce_pair(float32x4_t a, float32x4_t b)
{
	return vaddq_f32(vcombine_f32(vget_low_f32(a), vget_low_f32(b)),
	    vcombine_f32(vget_high_f32(a), vget_high_f32(b)));
}

/* y[i] = k3_reduce(s[i]), four at a time while there are four. */
static inline void
k3_reduce_rows(float (*s)[K3_LANES], float *y, size_t n)
{
	for (; n >= 4; n -= 4, s += 4, y += 4) {
		float32x4_t a = k3_reduce_pair(k3_reduce_quarter(s[0]),
		    k3_reduce_quarter(s[1]));
		float32x4_t b = k3_reduce_pair(k3_reduce_quarter(s[2]),
		    k3_reduce_quarter(s[3]));

		vst1q_f32(y, vpaddq_f32(a, b));
	}
	for (; n > 0; n--)
		*y++ = k3_reduce(*s++);
}

#endif
