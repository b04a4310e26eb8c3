/*
 * arm/init.c - AArch64 CPU detection and the choice of NEON variants
 */
#include <sys/auxv.h>

#include <asm/hwcap.h>

#include "kernels/impl.h"

unsigned
k3_cpu_detect(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0 ? K3_CPU_NEON : 0;
}

void
k3_kern_init_arm(struct k3_kern *kern, unsigned cpu)
{
	if ((cpu & K3_CPU_NEON) == 0)
		return;
	kern->mul_f32 = k3_mul_f32_neon;
	kern->mul_bf16 = k3_mul_bf16_neon;
	kern->mul_mxfp4 = k3_mul_mxfp4_neon;
	kern->tmul_f32 = k3_tmul_f32_neon;
	kern->tmul_bf16 = k3_tmul_bf16_neon;
	kern->silu = k3_silu_neon;
	kern->sigmoid = k3_sigmoid_neon;
	kern->situ = k3_situ_neon;
	kern->gate = k3_gate_neon;
	kern->decay = k3_decay_neon;
	kern->axpy = k3_axpy_neon;
	kern->conv = k3_conv_neon;
	kern->kda = k3_kda_neon;
	kern->softmax = k3_softmax_neon;
}
