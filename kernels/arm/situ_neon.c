/*
 * arm/situ_neon.c - the capped gate of all ffns, as defined, in NEON vectors
 */
#include "kernels/elem.h"

void
k3_situ_neon(float *a, const float *b, size_t n, float b1, float b2)
{
	for (size_t i = 0; i < n; i++)
		a[i] = k3_situ1(a[i], b[i], b1, b2);
}
