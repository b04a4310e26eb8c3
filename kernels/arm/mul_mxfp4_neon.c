/*
 * arm/mul_mxfp4_neon.c - rows of MXFP4 weights times activations, NEON
 *
 * A block's 32 codes become bf16 values by two byte look-ups, float32 by a
 * shift, and are multiplied by the block's scale, which is exact.  For one or
 * two tokens a row's weights are used as they are decoded; for more, a panel of
 * them is decoded and multiplied as rows of f32.
 */
#include "kernels/arm/rows_neon.h"

/* The panel is 24 KB, and so are the sums. */
enum {
	PANEL_ROWS = 24,
	PANEL_TOKENS = 16,
	PANEL_ELEMENTS = 256
};

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

/* Sixteen weights. */
struct sixteen {
	float32x4_t v[4];
};

/* Sixteen codes, one a byte, to float32 times the scale. */
INLINE struct sixteen
decode(uint8x16_t code, float scale)
{
	uint8x16_t h = vqtbl1q_u8(vld1q_u8(high), code);
	uint8x16_t l = vqtbl1q_u8(vld1q_u8(low), code);
	uint16x8_t a = vreinterpretq_u16_u8(vzip1q_u8(l, h));
	uint16x8_t b = vreinterpretq_u16_u8(vzip2q_u8(l, h));
	uint32x4_t u[4] = { vshll_n_u16(vget_low_u16(a), 16),
		vshll_high_n_u16(a, 16), vshll_n_u16(vget_low_u16(b), 16),
		vshll_high_n_u16(b, 16) };
	struct sixteen s;

	for (size_t q = 0; q < 4; q++)
		s.v[q] = vmulq_n_f32(vreinterpretq_f32_u32(u[q]), scale);
	return s;
}

/* The two halves of a block. */
INLINE void
decode_block(struct sixteen s[2], const uint8_t *w, uint8_t e)
{
	uint8x16_t c = vld1q_u8(w);
	uint8x16_t lo = vandq_u8(c, vdupq_n_u8(15)), hi = vshrq_n_u8(c, 4);
	float scale = k3_mx_scale(e);

	s[0] = decode(vzip1q_u8(lo, hi), scale);
	s[1] = decode(vzip2q_u8(lo, hi), scale);
}

/* Row 'r' times 'nt' tokens. */
INLINE void
row(const struct k3_mul *m, size_t r, size_t nt)
{
	const uint8_t *w = m->w + r * m->stride;
	const uint8_t *scale = m->scale + r * m->scale_stride;
	float sum[K3_LANES];
	float32x4_t s[2][4];

	for (size_t t = 0; t < nt; t++)
		for (size_t q = 0; q < 4; q++)
			s[t][q] = vdupq_n_f32(0);
	for (size_t i = 0; i < m->n; i += K3_MX_BLOCK) {
		struct sixteen b[2];

		decode_block(b, w + i / 2, scale[i / K3_MX_BLOCK]);
		for (size_t h = 0; h < 2; h++)
			for (size_t t = 0; t < nt; t++) {
				const float *x =
				    m->x + t * m->ldx + i + h * K3_LANES;

				for (size_t q = 0; q < 4; q++)
					s[t][q] = vfmaq_f32(s[t][q], b[h].v[q],
					    vld1q_f32(x + q * K3_VEC));
			}
	}
	for (size_t t = 0; t < nt; t++) {
		for (size_t q = 0; q < 4; q++)
			vst1q_f32(sum + q * K3_VEC, s[t][q]);
		m->y[t * m->ldy + r] = k3_reduce(sum);
	}
}

/* Elements 'i' to i + n of 'rows' rows from 'r' on. */
static void
unpack(const struct k3_mul *m, size_t r, size_t rows, size_t i, size_t n,
    float (*to)[PANEL_ELEMENTS])
{
	for (size_t k = 0; k < rows; k++) {
		const uint8_t *w = m->w + (r + k) * m->stride + i / 2;
		const uint8_t *scale =
		    m->scale + (r + k) * m->scale_stride + i / K3_MX_BLOCK;

		for (size_t j = 0; j < n; j += K3_MX_BLOCK) {
			struct sixteen b[2];

			decode_block(b, w + j / 2, scale[j / K3_MX_BLOCK]);
			for (size_t q = 0; q < 8; q++)
				vst1q_f32(to[k] + j + q * K3_VEC,
				    b[q / 4].v[q % 4]);
		}
	}
}

/* Rows 'r' on times tokens 't' on, as many as fit. */
static void
panels(const struct k3_mul *m, size_t r, size_t t)
{
	const struct k3_stored l = { k3_neon_f32, sizeof(float) };
	float w[PANEL_ROWS][PANEL_ELEMENTS];
	float sum[PANEL_ROWS * PANEL_TOKENS][K3_LANES];
	struct k3_block b = { .w = (const uint8_t *)w,
		.x = m->x + t * m->ldx,
		.stride = sizeof(w[0]),
		.ldx = m->ldx,
		.rows = k3_least(m->rows - r, PANEL_ROWS),
		.tokens = k3_least(m->tokens - t, PANEL_TOKENS),
		.sum = sum };

	memset(sum, 0, b.rows * b.tokens * sizeof(*sum));
	for (size_t i = 0; i < m->n; i += b.n) {
		b.n = k3_least(m->n - i, PANEL_ELEMENTS);
		unpack(m, r, b.rows, i, b.n, w);
		k3_add_block(&b, l);
		b.x += b.n;
	}
	for (size_t k = 0; k < b.tokens; k++)
		k3_reduce_rows(sum + k * b.rows, m->y + (t + k) * m->ldy + r,
		    b.rows);
}

void
k3_mul_mxfp4_neon(const struct k3_mul *m)
{
	size_t few = m->tokens <= 2 ? m->tokens : 0;

	for (size_t r = 0; r < m->rows && few == 1; r++)
		row(m, r, 1);
	for (size_t r = 0; r < m->rows && few == 2; r++)
		row(m, r, 2);
	for (size_t r = 0; r < m->rows && few == 0; r += PANEL_ROWS)
		for (size_t t = 0; t < m->tokens; t += PANEL_TOKENS)
			panels(m, r, t);
}
