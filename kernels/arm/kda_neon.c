/*
 * arm/kda_neon.c - tokens through a KDA head, as defined, in NEON vectors
 */
#include "kernels/step.h"

void
k3_kda_neon(const struct k3_kda *a)
{
	k3_kda_def(a);
}
