/*
 * x86/attend_avx2.c - attention over one block of positions, as defined, in
 * AVX2 vectors
 */
#include "kernels/step.h"

void
k3_attend_avx2(const struct k3_attend *a)
{
	k3_attend_def(a);
}
