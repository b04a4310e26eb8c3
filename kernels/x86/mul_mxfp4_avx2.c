/*
 * x86/mul_mxfp4_avx2.c - rows of MXFP4 weights times activations, AVX2
 *
 * A block's 32 codes become bf16 values by two byte shuffles, float32 by a
 * shift, and are multiplied by the block's scale, which is exact.  One row by
 * up to four tokens, so that a decoded weight serves all of them.
 */
#include "kernels/x86/avx2.h"

/* The bytes of the sixteen E2M1 values as bf16; -0 keeps its sign. */
/* clang-format off */
static const uint8_t high[16] = {
	0x00, 0x3f, 0x3f, 0x3f, 0x40, 0x40, 0x40, 0x40,
	0x80, 0xbf, 0xbf, 0xbf, 0xc0, 0xc0, 0xc0, 0xc0,
};
static const uint8_t low[16] = {
	0x00, 0x00, 0x80, 0xc0, 0x00, 0x40, 0x80, 0xc0,
	0x00, 0x00, 0x80, 0xc0, 0x00, 0x40, 0x80, 0xc0,
};
/* clang-format on */

/* Sixteen codes, one a byte, to float32 times the scale. */
static inline struct k3_v16
decode(__m128i code, __m256 scale)
{
	__m128i h =
	    _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)high), code);
	__m128i l =
	    _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)low), code);
	struct k3_v16 v = k3_v16_bf16(
	    _mm256_set_m128i(_mm_unpackhi_epi8(l, h), _mm_unpacklo_epi8(l, h)));

	v.lo = _mm256_mul_ps(v.lo, scale);
	v.hi = _mm256_mul_ps(v.hi, scale);
	return v;
}

/* One row times 'nt' tokens, 1 to 4. */
static inline void
row(const struct k3_mul *m, size_t r, size_t t, size_t nt)
{
	const uint8_t *w = m->w + r * m->stride;
	const uint8_t *scale = m->scale + r * m->scale_stride;
	const __m128i mask = _mm_set1_epi8(15);
	struct k3_v16 s[4];
	const float *x[4];
	float sum[K3_LANES];

	for (size_t k = 0; k < nt; k++) {
		x[k] = m->x + (t + k) * m->ldx;
		s[k] = k3_v16_zero();
	}
	for (size_t i = 0; i < m->n; i += K3_MX_BLOCK) {
		__m128i c = _mm_loadu_si128((const __m128i *)(w + i / 2));
		__m128i lo = _mm_and_si128(c, mask);
		__m128i hi = _mm_and_si128(_mm_srli_epi16(c, 4), mask);
		__m256 e = _mm256_set1_ps(k3_mx_scale(scale[i / K3_MX_BLOCK]));
		struct k3_v16 a = decode(_mm_unpacklo_epi8(lo, hi), e);
		struct k3_v16 b = decode(_mm_unpackhi_epi8(lo, hi), e);

		for (size_t k = 0; k < nt; k++)
			k3_v16_fma(&s[k], a, k3_v16_f32(x[k] + i));
		for (size_t k = 0; k < nt; k++)
			k3_v16_fma(&s[k], b, k3_v16_f32(x[k] + i + K3_LANES));
	}
	for (size_t k = 0; k < nt; k++) {
		k3_v16_store(sum, s[k]);
		m->y[(t + k) * m->ldy + r] = k3_reduce(sum);
	}
}

void
k3_mul_mxfp4_avx2(const struct k3_mul *m)
{
	for (size_t r = 0; r < m->rows; r++) {
		size_t t = 0;

		for (; m->tokens - t >= 4; t += 4)
			row(m, r, t, 4);
		switch (m->tokens - t) {
		case 3:
			row(m, r, t, 3);
			break;
		case 2:
			row(m, r, t, 2);
			break;
		case 1:
			row(m, r, t, 1);
			break;
		}
	}
}
