/*
 * arm/gate_neon.c - an output gate, as defined, in NEON vectors
 */
#include "kernels/elem.h"

void
k3_gate_neon(float *o, const float *g, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o[i] = o[i] * k3_sigmoid1(g[i]);
}
