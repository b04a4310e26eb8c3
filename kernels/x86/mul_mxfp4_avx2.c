/*
 * x86/mul_mxfp4_avx2.c - rows of MXFP4 weights times activations, AVX2
 *
 * A block's codes pick the low and the high bytes of their bf16 values, the
 * scale inside, by two byte shuffles.  A tile is two rows by up to three
 * tokens, whose sums stay in registers, in the order that decoding gives.
 */
#include "kernels/x86/mx_bytes.h"
#include "kernels/x86/mx_panel_avx2.h"
#include "kernels/x86/mx_range.h"

enum {
	ROWS = 2,
	TOKENS = 3
};

/*
 * Elements 0, 4, 8, 12, 1, 5, 9, 13 and 2, 6, 10, 14, 3, 7, 11, 15, and the
 * same for 16 to 31: the low codes were in the lower lane and the high ones in
 * the upper, and the even words of a lane come first.
 */
MX_INLINE void
decode(__m256 v[4], const uint8_t *w, uint8_t e)
{
	const __m256i odd = _mm256_set1_epi32((int)0xffff0000);
	const __m256i shift = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);
	__m256i codes =
	    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)w));
	__m256i a, b;

	mx_words(&a, &b, _mm256_srlv_epi32(codes, shift), e);
	v[0] = _mm256_castsi256_ps(_mm256_slli_epi32(a, 16));
	v[1] = _mm256_castsi256_ps(_mm256_and_si256(a, odd));
	v[2] = _mm256_castsi256_ps(_mm256_slli_epi32(b, 16));
	v[3] = _mm256_castsi256_ps(_mm256_and_si256(b, odd));
}

/* Loads are repeated: GCC would keep x for the next row and spill the sums. */
MX_INLINE void
forget(void)
{
	__asm__ volatile("" : : : "memory");
}

/* The pragmas let GCC keep the sums in registers from the first load on. */
MX_INLINE void
multiply(const struct mx_tile *a, size_t nt)
{
	const float *x = a->x;
	__m256 s[ROWS][TOKENS][2];

#pragma GCC unroll 2
	for (size_t k = 0; k < ROWS; k++)
#pragma GCC unroll 3
		for (size_t t = 0; t < nt; t++) {
			const float *sum =
			    a->sum + (t * ROWS + k) * a->apart * K3_LANES;

			s[k][t][0] = _mm256_loadu_ps(sum);
			s[k][t][1] = _mm256_loadu_ps(sum + 8);
		}
	for (size_t i = 0; i < a->n; i += K3_MX_BLOCK, x += nt * K3_MX_BLOCK) {
#pragma GCC unroll 2
		for (size_t k = 0; k < ROWS; k++) {
			const uint8_t *p = a->w[k] + i / 2;
			__m256 w[4];

			if (nt > 1)
				forget();
			if (i % (4 * K3_MX_BLOCK) == 0)
				_mm_prefetch((const char *)p + a->stride,
				    _MM_HINT_T0);
			decode(w, p, a->scale[k][i / K3_MX_BLOCK]);
#pragma GCC unroll 12
			for (size_t j = 0; j < 4 * nt; j++)
				s[k][j / 2 % nt][j % 2] =
				    _mm256_fmadd_ps(w[j / 2 / nt * 2 + j % 2],
					_mm256_loadu_ps(x + 8 * j),
					s[k][j / 2 % nt][j % 2]);
		}
	}
#pragma GCC unroll 2
	for (size_t k = 0; k < ROWS; k++)
#pragma GCC unroll 3
		for (size_t t = 0; t < nt; t++) {
			float *sum =
			    a->sum + (t * ROWS + k) * a->apart * K3_LANES;

			_mm256_storeu_ps(sum, s[k][t][0]);
			_mm256_storeu_ps(sum + 8, s[k][t][1]);
		}
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
	default:
		multiply(a, TOKENS);
	}
}

/* As a matrix of four by four, its rows become its columns; and back. */
static inline void
transpose(float *to, const float *x)
{
	__m128 a = _mm_loadu_ps(x), b = _mm_loadu_ps(x + 4),
	       c = _mm_loadu_ps(x + 8), d = _mm_loadu_ps(x + 12);

	_MM_TRANSPOSE4_PS(a, b, c, d);
	_mm_storeu_ps(to, a);
	_mm_storeu_ps(to + 4, b);
	_mm_storeu_ps(to + 8, c);
	_mm_storeu_ps(to + 12, d);
}

static inline void
bring_back(float *sum)
{
	transpose(sum, sum);
}

static __attribute__((noinline)) void
few(const struct k3_mul *m)
{
	const struct mx_variant v = { ROWS, TOKENS, any, transpose,
		bring_back };

	mx_mul(m, v);
}

void
k3_mul_mxfp4_avx2(const struct k3_mul *m)
{
	if (m->tokens < MX_MANY)
		few(m);
	else
		mx_panels(m);
}
