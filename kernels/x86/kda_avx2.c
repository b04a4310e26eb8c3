/*
 * x86/kda_avx2.c - tokens through a KDA head, AVX2
 */
#include "kernels/x86/col_avx2.h"

#include "kernels/kda-tile.h"

void
k3_kda_avx2(const struct k3_kda *a)
{
	k3_kda_tiles(a);
}
