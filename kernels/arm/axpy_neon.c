/*
 * arm/axpy_neon.c - one term of a weighted sum, as defined, in NEON vectors
 */
#include "kernels/elem.h"

void
k3_axpy_neon(float *y, const float *x, size_t n, float a)
{
	for (size_t i = 0; i < n; i++)
		y[i] = fmaf(a, x[i], y[i]);
}
