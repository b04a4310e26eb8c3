/*
 * silu.c - silu in place: the definition
 */
#include "kernels/elem.h"

void
k3_silu_scalar(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_silu1(x[i]);
}
