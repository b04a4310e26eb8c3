/*
 * sigmoid.c - sigmoid in place: the definition
 */
#include "kernels/elem.h"

void
k3_sigmoid_scalar(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_sigmoid1(x[i]);
}
