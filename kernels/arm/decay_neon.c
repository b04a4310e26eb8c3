/*
 * arm/decay_neon.c - KDA's decay of a head, as defined, in NEON vectors
 */
#include "kernels/elem.h"

void
k3_decay_neon(float *f, const float *bias, size_t n, float a, float lower)
{
	for (size_t i = 0; i < n; i++)
		f[i] = k3_exp1(lower * k3_sigmoid1(a * (f[i] + bias[i])));
}
