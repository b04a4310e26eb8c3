/*
 * x86/mul_f32_avx2.c - rows of f32 weights times activations, AVX2
 */
#include "kernels/x86/vec_avx2.h"

#include "kernels/tile.h"

static inline k3_vec
load(const uint8_t *w, size_t part)
{
	return _mm256_loadu_ps((const void *)(w + part * sizeof(k3_vec)));
}

static inline k3_vec
floats(const float *x, size_t part)
{
	return k3_vec_load(x + part * K3_VEC);
}

static inline void
store(float *s, size_t part, k3_vec v)
{
	k3_vec_store(s + part * K3_VEC, v);
}

void
k3_mul_f32_avx2(const struct k3_mul *m)
{
	const struct k3_stored l = { load, floats, store, 4 };

	k3_mul_tiles(m, l);
}
