/*
 * x86/silu_avx2.c - silu in place, as defined, in AVX2 vectors
 */
#include "kernels/elem.h"

void
k3_silu_avx2(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_silu1(x[i]);
}
