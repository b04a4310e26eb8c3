/*
 * x86/mx_panel_avx2.h - MXFP4 rows decoded once for many tokens, AVX2
 *
 * Some rows and columns become a panel of float32, in order, which the tiles
 * of kernels/tile.h multiply by all tokens.  It pays from MX_MANY tokens on.
 */
#ifndef K3_KERNELS_X86_MX_PANEL_AVX2_H
#define K3_KERNELS_X86_MX_PANEL_AVX2_H

#include "kernels/x86/vec_avx2.h"

#include "kernels/tile.h"
#include "kernels/x86/mx_bytes.h"

enum {
	MX_MANY = 6,

	/* The panel and the sums, 24 KB each. */
	MX_PANEL_ROWS = 12,
	MX_PANEL_N = 512,
	MX_PANEL_TOKENS = 32
};

/* Codes, in the low halves of bytes, to bf16: bytes 0-7, 8-15 of each lane. */
INLINE void
mx_words(__m256i *first, __m256i *second, __m256i codes, uint8_t e)
{
	const struct k3_mx_bytes *b = &k3_mx_bytes[e];
	__m256i low = _mm256_set1_epi64x((int64_t)b->low);
	__m256i high = _mm256_broadcastsi128_si256(
	    _mm_loadu_si128((const __m128i *)&b->high));

	codes = _mm256_and_si256(codes, _mm256_set1_epi8(15));
	low = _mm256_shuffle_epi8(low, codes);
	high = _mm256_shuffle_epi8(high, codes);
	*first = _mm256_unpacklo_epi8(low, high);
	*second = _mm256_unpackhi_epi8(low, high);
}

/*
 * A block in order: the even words of both lanes have to be elements 0-7 and
 * 16-23, and the odd ones 8-15 and 24-31.  The shuffle doubles pairs of bytes,
 * of which the multiplication raises the low codes of the first.
 */
static inline void
mx_block(float *to, const uint8_t *w, uint8_t e)
{
	const __m256i pick =
	    _mm256_setr_epi8(0, 4, 0, 4, 1, 5, 1, 5, 8, 12, 8, 12, 9, 13, 9, 13,
		2, 6, 2, 6, 3, 7, 3, 7, 10, 14, 10, 14, 11, 15, 11, 15);
	const __m256i odd = _mm256_set1_epi32((int)0xffff0000);
	__m256i codes =
	    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)w));
	__m256i a, b;

	codes = _mm256_mullo_epi16(_mm256_shuffle_epi8(codes, pick),
	    _mm256_set1_epi32(0x00010010));
	mx_words(&a, &b, _mm256_srli_epi16(codes, 4), e);
	_mm256_storeu_si256((__m256i *)to, _mm256_slli_epi32(a, 16));
	_mm256_storeu_si256((__m256i *)(to + 8), _mm256_and_si256(a, odd));
	_mm256_storeu_si256((__m256i *)(to + 16), _mm256_slli_epi32(b, 16));
	_mm256_storeu_si256((__m256i *)(to + 24), _mm256_and_si256(b, odd));
}

/* Columns 'i' on of a row; and fetch those of the row in the next panel. */
static inline void
mx_decode(float *to, const struct k3_mul *m, size_t row, size_t i, size_t n)
{
	const uint8_t *w = m->w + row * m->stride + i / 2;
	const uint8_t *scale =
	    m->scale + row * m->scale_stride + i / K3_MX_BLOCK;

	for (size_t j = 0; j < n; j += K3_MX_BLOCK) {
		if (j % (4 * K3_MX_BLOCK) == 0)
			_mm_prefetch((const char *)w + j / 2 +
					 MX_PANEL_ROWS * m->stride,
			    _MM_HINT_T1);
		mx_block(to + j, w + j / 2, scale[j / K3_MX_BLOCK]);
	}
}

/* Some rows and tokens. */
static void
mx_panel(const struct k3_mul *m)
{
	_Alignas(64) float panel[MX_PANEL_ROWS][MX_PANEL_N];
	_Alignas(64) float sum[MX_PANEL_TOKENS * MX_PANEL_ROWS][K3_LANES];
	_Alignas(64) float packed[K3_TILE_PACKED];
	const struct k3_stored l = { k3_vec_weights, k3_vec_floats, k3_vec_put,
		sizeof(float) };
	struct block b = { .w = (const uint8_t *)panel,
		.stride = sizeof(panel[0]),
		.ldx = m->ldx,
		.rows = m->rows,
		.tokens = m->tokens,
		.sum = sum,
		.packed = packed,
		.fresh = true };

	for (size_t i = 0; i < m->n; i += b.n) {
		b.n = least(m->n - i, MX_PANEL_N);
		b.x = m->x + i;
		for (size_t r = 0; r < m->rows; r++)
			mx_decode(panel[r], m, r, i, b.n);
		groups(&b, l);
		b.fresh = false;
	}
	if (m->n == 0)
		memset(sum, 0, m->tokens * m->rows * sizeof(sum[0]));
	for (size_t t = 0; t < m->tokens; t++)
		k3_reduce_rows(sum + t * m->rows, m->y + t * m->ldy, m->rows);
}

static void
mx_panels(const struct k3_mul *m)
{
	for (size_t r = 0; r < m->rows; r += MX_PANEL_ROWS)
		for (size_t t = 0; t < m->tokens; t += MX_PANEL_TOKENS) {
			struct k3_mul part = *m;

			part.w += r * m->stride;
			part.scale += r * m->scale_stride;
			part.rows = least(MX_PANEL_ROWS, m->rows - r);
			part.x += t * m->ldx;
			part.tokens = least(MX_PANEL_TOKENS, m->tokens - t);
			part.y += t * m->ldy + r;
			mx_panel(&part);
		}
}

#endif
