/*
 * x86/conv_avx2.c - the short convolution, as defined, in AVX2 vectors
 */
#include "kernels/step.h"

void
k3_conv_avx2(float *y, const float *const in[K3_TAPS], const float *w, size_t n)
{
	k3_conv_def(y, in, w, n);
}
