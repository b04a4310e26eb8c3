/*
 * x86/gate_avx2.c - an output gate, as defined, in AVX2 vectors
 */
#include "kernels/elem.h"

void
k3_gate_avx2(float *o, const float *g, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o[i] = o[i] * k3_sigmoid1(g[i]);
}
