/*
 * x86/axpy_avx2.c - one term of a weighted sum, as defined, in AVX2 vectors
 */
#include "kernels/elem.h"

void
k3_axpy_avx2(float *y, const float *x, size_t n, float a)
{
	for (size_t i = 0; i < n; i++)
		y[i] = fmaf(a, x[i], y[i]);
}
