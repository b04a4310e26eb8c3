/*
 * x86/kda_avx512.c - tokens through a KDA head, AVX-512
 */
#include "kernels/x86/col_avx512.h"

#include "kernels/kda-tile.h"

void
k3_kda_avx512(const struct k3_kda *a)
{
	k3_kda_tiles(a);
}
