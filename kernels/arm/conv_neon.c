/*
 * arm/conv_neon.c - the short convolution, as defined, in NEON vectors
 */
#include "kernels/step.h"

void
k3_conv_neon(float *y, const float *const in[K3_TAPS], const float *w, size_t n)
{
	k3_conv_def(y, in, w, n);
}
