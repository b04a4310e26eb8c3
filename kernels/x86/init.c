/*
 * x86/init.c - x86 CPU detection and the choice of x86 variants
 */
#include <stdbool.h>

#include "kernels/impl.h"

/* Emulated, it needs no more than AVX2. */
static bool
has_avx512(void)
{
#ifdef K3_EMULATE_AVX512
	return true;
#else
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl");
#endif
}

/*
 * GCC's and clang's own detection asks CPUID and, for AVX and up, whether the
 * kernel saves the registers (XGETBV), which hand-written code tends to forget.
 */
unsigned
k3_cpu_detect(void)
{
	unsigned cpu = 0;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		cpu |= K3_CPU_AVX2;
	if ((cpu & K3_CPU_AVX2) != 0 && has_avx512())
		cpu |= K3_CPU_AVX512;
	return cpu;
}

/* Oldest ISA first: each overwrites what it does better. */
void
k3_kern_init_x86(struct k3_kern *kern, unsigned cpu)
{
	if ((cpu & K3_CPU_AVX2) == 0)
		return;
	kern->mul_f32 = k3_mul_f32_avx2;
	kern->mul_bf16 = k3_mul_bf16_avx2;
	kern->mul_mxfp4 = k3_mul_mxfp4_avx2;
	kern->tmul_f32 = k3_tmul_f32_avx2;
	kern->tmul_bf16 = k3_tmul_bf16_avx2;
	kern->silu = k3_silu_avx2;
	kern->sigmoid = k3_sigmoid_avx2;
	kern->situ = k3_situ_avx2;
	kern->gate = k3_gate_avx2;
	kern->decay = k3_decay_avx2;
	kern->axpy = k3_axpy_avx2;
	kern->conv = k3_conv_avx2;
	kern->kda = k3_kda_avx2;
	kern->softmax = k3_softmax_avx2;

	if ((cpu & K3_CPU_AVX512) == 0)
		return;
	kern->mul_f32 = k3_mul_f32_avx512;
	kern->mul_bf16 = k3_mul_bf16_avx512;
	kern->mul_mxfp4 = k3_mul_mxfp4_avx512;
	kern->tmul_f32 = k3_tmul_f32_avx512;
	kern->tmul_bf16 = k3_tmul_bf16_avx512;
	kern->kda = k3_kda_avx512;
}
