/*
 * kernels.c - fill the kernel table
 */
#include "kernels/elem.h"

void
k3_kern_init(struct k3_kern *kern, unsigned cpu)
{
	kern->mul_f32 = k3_mul_f32_scalar;
	kern->mul_bf16 = k3_mul_bf16_scalar;
	kern->mul_mxfp4 = k3_mul_mxfp4_scalar;
	kern->tmul_f32 = k3_tmul_f32_scalar;
	kern->tmul_bf16 = k3_tmul_bf16_scalar;
	kern->silu = k3_silu_scalar;
	kern->sigmoid = k3_sigmoid_scalar;
	kern->situ = k3_situ_scalar;
	kern->gate = k3_gate_scalar;
	kern->decay = k3_decay_scalar;
	kern->axpy = k3_axpy_scalar;
	kern->conv = k3_conv_scalar;
	kern->kda = k3_kda_scalar;
	kern->softmax = k3_softmax_scalar;
#if defined(__x86_64__)
	k3_kern_init_x86(kern, cpu);
#elif defined(__aarch64__)
	k3_kern_init_arm(kern, cpu);
#else
	(void)cpu;
#endif
}

float
k3_exp(float x)
{
	return k3_exp1(x);
}
