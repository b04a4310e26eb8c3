/*
 * x86/mul_mxfp4_avx512.c - rows of MXFP4 weights times activations, AVX-512
 *
 * Sixteen codes are eight bytes.  Broadcast and shifted by 0 to 28 bits, they
 * stand lowest in a dword each, and pick a value from a register of all
 * sixteen values times the block's scale, which is exact.  This leaves the
 * elements in the order of 'order'.  A tile is four rows by some tokens, whose
 * sums stay in registers.
 */
#include "kernels/x86/intrin.h"
#include "kernels/x86/mx_range.h"
#include "kernels/x86/mx_scale.h"

enum {
	ROWS = 4,
	TOKENS = 6
};

static const float value[16] = { 0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
	-0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f };

static const uint32_t shift[16] = { 0, 0, 4, 4, 8, 8, 12, 12, 16, 16, 20, 20,
	24, 24, 28, 28 };
static const uint32_t order[16] = { 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6,
	14, 7, 15 };
static const uint32_t back[16] = { 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11,
	13, 15 };

static inline void
arrange(float *to, const float *x, const uint32_t *which)
{
	_mm512_storeu_ps(to, _mm512_permutexvar_ps(_mm512_loadu_si512(which),
				 _mm512_loadu_ps(x)));
}

static inline void
to_order(float *to, const float *x)
{
	arrange(to, x, order);
}

static inline void
bring_back(float *sum)
{
	arrange(sum, sum, back);
}

MX_INLINE __m512
decode(const uint8_t *w, __m512 values)
{
	int64_t codes;

	memcpy(&codes, w, sizeof(codes));
	return _mm512_permutexvar_ps(_mm512_srlv_epi32(_mm512_set1_epi64(codes),
					 _mm512_loadu_si512(shift)),
	    values);
}

/* The pragmas let GCC keep the sums in registers from the first load on. */
MX_INLINE void
multiply(const struct mx_tile *a, size_t nt)
{
	const __m512 values = _mm512_loadu_ps(value);
	const float *x = a->x;
	__m512 s[ROWS][TOKENS];

#pragma GCC unroll 4
	for (size_t k = 0; k < ROWS; k++)
#pragma GCC unroll 6
		for (size_t t = 0; t < nt; t++)
			s[k][t] = _mm512_loadu_ps(
			    a->sum + (t * ROWS + k) * a->apart * K3_LANES);
	for (size_t i = 0; i < a->n; i += K3_MX_BLOCK, x += nt * K3_MX_BLOCK) {
		__m512 w[2][ROWS];

#pragma GCC unroll 4
		for (size_t k = 0; k < ROWS; k++) {
			const uint8_t *p = a->w[k] + i / 2;
			uint8_t e = a->scale[k][i / K3_MX_BLOCK];
			__m512 v = _mm512_mul_ps(values,
			    _mm512_set1_ps(k3_mx_scales[e]));

			if (i % (4 * K3_MX_BLOCK) == 0)
				_mm_prefetch((const char *)p + a->stride,
				    _MM_HINT_T0);
			w[0][k] = decode(p, v);
			w[1][k] = decode(p + 8, v);
		}
#pragma GCC unroll 12
		for (size_t t = 0; t < 2 * nt; t++) {
			__m512 v = _mm512_loadu_ps(x + t * K3_LANES);

#pragma GCC unroll 4
			for (size_t k = 0; k < ROWS; k++)
				s[k][t % nt] = _mm512_fmadd_ps(w[t / nt][k], v,
				    s[k][t % nt]);
		}
	}
#pragma GCC unroll 4
	for (size_t k = 0; k < ROWS; k++)
#pragma GCC unroll 6
		for (size_t t = 0; t < nt; t++)
			_mm512_storeu_ps(a->sum + (t * ROWS + k) * a->apart *
						      K3_LANES,
			    s[k][t]);
}

static void
any(const struct mx_tile *a, size_t nt)
{
	switch (nt) {
	case 1:
		multiply(a, 1);
		break;
	case 2:
		multiply(a, 2);
		break;
	case 3:
		multiply(a, 3);
		break;
	case 4:
		multiply(a, 4);
		break;
	case 5:
		multiply(a, 5);
		break;
	default:
		multiply(a, TOKENS);
	}
}

void
k3_mul_mxfp4_avx512(const struct k3_mul *m)
{
	const struct mx_variant v = { ROWS, TOKENS, any, to_order, bring_back };

	mx_mul(m, v);
}
