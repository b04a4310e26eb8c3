/*
 * x86/intrin.h - x86 intrinsics, or plain C for the AVX-512 ones
 *
 * With K3_EMULATE_AVX512 the _avx512.c files compile to code that any x86 with
 * AVX2 runs, so that a machine without AVX-512 can test their logic: see "make
 * check-emul".  A kernel may use only the AVX-512 intrinsics listed here; add
 * to the list what a new one needs.
 */
#ifndef K3_KERNELS_X86_INTRIN_H
#define K3_KERNELS_X86_INTRIN_H

#include <immintrin.h>

#ifdef K3_EMULATE_AVX512

#include <math.h>
#include <stdint.h>
#include <string.h>

struct emul_ps {
	float v[16];
};
struct emul_epi32 {
	uint32_t v[16];
};

/* The compiler's header has these names already, hence the macros. */
#define __m512                struct emul_ps
#define __m512i               struct emul_epi32
#define _mm512_castsi512_ps   emul_castsi512_ps
#define _mm512_cvtepu16_epi32 emul_cvtepu16_epi32
#define _mm512_fmadd_ps       emul_fmadd_ps
#define _mm512_loadu_ps       emul_loadu_ps
#define _mm512_loadu_si512    emul_loadu_si512
#define _mm512_mul_ps         emul_mul_ps
#define _mm512_permutexvar_ps emul_permutexvar_ps
#define _mm512_set1_epi64     emul_set1_epi64
#define _mm512_set1_ps        emul_set1_ps
#define _mm512_setzero_ps     emul_setzero_ps
#define _mm512_slli_epi32     emul_slli_epi32
#define _mm512_srlv_epi32     emul_srlv_epi32
#define _mm512_storeu_ps      emul_storeu_ps
#define _mm512_sub_ps         emul_sub_ps

static inline __m512
emul_castsi512_ps(__m512i a)
{
	__m512 r;

	memcpy(&r, &a, sizeof(r));
	return r;
}

static inline __m512i
emul_cvtepu16_epi32(__m256i a)
{
	uint16_t in[16];
	__m512i r;

	_mm256_storeu_si256((__m256i *)in, a);
	for (int i = 0; i < 16; i++)
		r.v[i] = in[i];
	return r;
}

static inline __m512
emul_fmadd_ps(__m512 a, __m512 b, __m512 c)
{
	for (int i = 0; i < 16; i++)
		c.v[i] = fmaf(a.v[i], b.v[i], c.v[i]);
	return c;
}

static inline __m512
emul_loadu_ps(const void *p)
{
	__m512 r;

	memcpy(&r, p, sizeof(r));
	return r;
}

static inline __m512i
emul_loadu_si512(const void *p)
{
	__m512i r;

	memcpy(&r, p, sizeof(r));
	return r;
}

static inline __m512
emul_mul_ps(__m512 a, __m512 b)
{
	for (int i = 0; i < 16; i++)
		a.v[i] *= b.v[i];
	return a;
}

static inline __m512
emul_permutexvar_ps(__m512i which, __m512 a)
{
	__m512 r;

	for (int i = 0; i < 16; i++)
		r.v[i] = a.v[which.v[i] % 16];
	return r;
}

static inline __m512i
emul_set1_epi64(int64_t a)
{
	__m512i r;

	for (int i = 0; i < 8; i++)
		memcpy(&r.v[2 * i], &a, sizeof(a));
	return r;
}

static inline __m512
emul_set1_ps(float a)
{
	__m512 r;

	for (int i = 0; i < 16; i++)
		r.v[i] = a;
	return r;
}

static inline __m512
emul_setzero_ps(void)
{
	return (__m512){ { 0 } };
}

static inline __m512i
emul_slli_epi32(__m512i a, unsigned n)
{
	for (int i = 0; i < 16; i++)
		a.v[i] <<= n;
	return a;
}

static inline __m512i
emul_srlv_epi32(__m512i a, __m512i n)
{
	for (int i = 0; i < 16; i++)
		a.v[i] = n.v[i] < 32 ? a.v[i] >> n.v[i] : 0;
	return a;
}

static inline void
emul_storeu_ps(void *p, __m512 a)
{
	memcpy(p, &a, sizeof(a));
}

static inline __m512
emul_sub_ps(__m512 a, __m512 b)
{
	for (int i = 0; i < 16; i++)
		a.v[i] -= b.v[i];
	return a;
}

#endif /* K3_EMULATE_AVX512 */
#endif
