/*
 * x86/kda_avx2.c - tokens through a KDA head, as defined, in AVX2 vectors
 */
#include "kernels/step.h"

void
k3_kda_avx2(const struct k3_kda *a)
{
	k3_kda_def(a);
}
