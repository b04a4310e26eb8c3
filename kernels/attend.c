/*
 * attend.c - attention over one block of positions: the definition
 */
#include "kernels/step.h"

void
k3_attend_scalar(const struct k3_attend *a)
{
	k3_attend_def(a);
}
