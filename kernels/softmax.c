/*
 * softmax.c - attention's softmax over one block of positions: the definition
 */
#include "kernels/step.h"

void
k3_softmax_scalar(const struct k3_softmax *a)
{
	k3_softmax_def(a);
}
