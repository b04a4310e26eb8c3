/*
 * x86/sigmoid_avx2.c - sigmoid in place, as defined, in AVX2 vectors
 */
#include "kernels/elem.h"

void
k3_sigmoid_avx2(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_sigmoid1(x[i]);
}
