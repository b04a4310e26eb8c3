/*
 * conv.c - the short convolution: the definition
 */
#include "kernels/step.h"

void
k3_conv_scalar(float *y, const float *const in[K3_TAPS], const float *w,
    size_t n)
{
	k3_conv_def(y, in, w, n);
}
