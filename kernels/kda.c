/*
 * kda.c - tokens through a KDA head: the definition
 */
#include "kernels/step.h"

void
k3_kda_scalar(const struct k3_kda *a)
{
	k3_kda_def(a);
}
