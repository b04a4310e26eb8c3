/*
 * arm/silu_neon.c - silu in place, as defined, in NEON vectors
 */
#include "kernels/elem.h"

void
k3_silu_neon(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_silu1(x[i]);
}
