/*
 * x86/vec_avx2.h - what kernels/tile.h is written over, in AVX2
 *
 * Sixteen sums are two of the sixteen registers.  Few tokens are bound by
 * memory, and their tiles have both halves of the sums; tiles of four have one
 * half, and go over their weights twice.
 */
#ifndef K3_KERNELS_X86_VEC_AVX2_H
#define K3_KERNELS_X86_VEC_AVX2_H

#include <stdbool.h>

#include "kernels/x86/reduce.h"

typedef __m256 k3_vec;

enum {
	K3_VEC = 8,
	K3_TILE_MOST = 4,          /* tokens of a tile */
	K3_TILE_BLOCK = 36,        /* rows of a block: 36 KB of sums */
	K3_TILE_STREAMS = 4,       /* rows, of one token and from memory */
	K3_TILE_PACKED = 4 * 1024, /* copied activations */
};

static inline k3_vec
k3_vec_zero(void)
{
	return _mm256_setzero_ps();
}

static inline k3_vec
k3_vec_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

static inline void
k3_vec_store(float *p, k3_vec v)
{
	_mm256_storeu_ps(p, v);
}

/* A part of sixteen floats in order, from any address, and back. */
static inline k3_vec
k3_vec_weights(const uint8_t *w, size_t part)
{
	return _mm256_loadu_ps((const void *)(w + part * sizeof(k3_vec)));
}

static inline k3_vec
k3_vec_floats(const float *x, size_t part)
{
	return _mm256_loadu_ps(x + part * K3_VEC);
}

static inline void
k3_vec_put(float *s, size_t part, k3_vec v)
{
	_mm256_storeu_ps(s + part * K3_VEC, v);
}

static inline k3_vec
k3_vec_fma(k3_vec a, k3_vec b, k3_vec c)
{
	return _mm256_fmadd_ps(a, b, c);
}

/* Keep 'v' in a register: it is used more often than loading it is free. */
static inline k3_vec
k3_vec_hold(k3_vec v)
{
	__asm__("" : "+x"(v));
	return v;
}

/* The sums of a tile are at most 12 registers. */
static inline size_t
k3_tile_rows(size_t tokens)
{
	return tokens == 1 ? 4 : tokens == 3 ? 2 : 3;
}

static inline size_t
k3_tile_parts(size_t tokens)
{
	return tokens <= 3 ? 2 : 1;
}

/* Are activations of so many tokens copied?  It spares them the unpacking, and
 * the first cache lines that fall together. */
static inline bool
k3_tile_packs(size_t tokens)
{
	return tokens > 3;
}

/* Elements of a block: the activations of four tokens in 16 KB. */
static inline size_t
k3_tile_elements(size_t tokens)
{
	return tokens > 3 ? 1024 : SIZE_MAX;
}

#endif
