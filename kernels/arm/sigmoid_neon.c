/*
 * arm/sigmoid_neon.c - sigmoid in place, as defined, in NEON vectors
 */
#include "kernels/elem.h"

void
k3_sigmoid_neon(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_sigmoid1(x[i]);
}
