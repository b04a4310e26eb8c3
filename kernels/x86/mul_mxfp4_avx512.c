/*
 * x86/mul_mxfp4_avx512.c - rows of MXFP4 weights times activations, AVX-512
 *
 * Sixteen codes are eight bytes.  Broadcast and shifted by 0 to 28 bits, they
 * stand lowest in a dword each, and pick a value from a register of all
 * sixteen values times the block's scale, which is exact.  This leaves the
 * elements in the order of 'order', so x is brought into it first, and the
 * sums are brought back last.
 *
 * A tile is four rows by some tokens, whose sums stay in registers.  Its rows
 * lie a quarter of a range apart, so that each is the next part of a long
 * stream: in adjacent rows of 1,792 bytes the CPU does not see one.
 */
#include "kernels/x86/intrin.h"
#include "kernels/x86/mx_scale.h"
#include "kernels/x86/reduce.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	ROWS = 4,
	TOKENS = 6,    /* at most, of a tile */
	FLOATS = 8192, /* of x, in order: the first cache */
	SUMS = 384,    /* vectors of sums: 24 KB */
};

static const float value[16] = { 0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
	-0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f };

static const uint32_t shift[16] = { 0, 0, 4, 4, 8, 8, 12, 12, 16, 16, 20, 20,
	24, 24, 28, 28 };
static const uint32_t order[16] = { 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6,
	14, 7, 15 };
static const uint32_t back[16] = { 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11,
	13, 15 };

/* Rows by tokens, over some columns. */
struct tile {
	const uint8_t *w[ROWS], *scale[ROWS];
	size_t stride, n;
	const float *x; /* [n / 16][tokens][16] */
	float *sum;     /* [tokens][ROWS][apart] */
	size_t apart;   /* rows */
};

INLINE __m512
arrange(const float *x, const uint32_t *which)
{
	return _mm512_permutexvar_ps(_mm512_loadu_si512(which),
	    _mm512_loadu_ps(x));
}

INLINE __m512
decode(const uint8_t *w, __m512 values)
{
	int64_t codes;

	memcpy(&codes, w, sizeof(codes));
	return _mm512_permutexvar_ps(_mm512_srlv_epi32(_mm512_set1_epi64(codes),
					 _mm512_loadu_si512(shift)),
	    values);
}

/* The pragmas let GCC keep the sums in registers from the first load on. */
INLINE void
tile(const struct tile *a, size_t nt)
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
tile_any(const struct tile *a, size_t nt)
{
	switch (nt) {
	case 1:
		tile(a, 1);
		break;
	case 2:
		tile(a, 2);
		break;
	case 3:
		tile(a, 3);
		break;
	case 4:
		tile(a, 4);
		break;
	case 5:
		tile(a, 5);
		break;
	default:
		tile(a, 6);
	}
}

INLINE size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Columns 'i' on of all tokens. */
static void
arrange_x(float *to, const struct k3_mul *m, size_t i, size_t n)
{
	for (size_t t = 0; t < m->tokens; t++)
		for (size_t j = 0; j < n; j += K3_LANES)
			_mm512_storeu_ps(to + j * m->tokens + t * K3_LANES,
			    arrange(m->x + t * m->ldx + i + j, order));
}

/* As many rows and tokens as there is room for; rows past the last are the last
 * one again, with sums of their own. */
static void
group(const struct k3_mul *m)
{
	_Alignas(64) float x[FLOATS], sum[SUMS][K3_LANES];
	size_t apart = (m->rows + ROWS - 1) / ROWS;
	size_t nsum = m->tokens * ROWS * apart;
	size_t blocks = m->n / K3_MX_BLOCK, n;
	size_t most = FLOATS / K3_MX_BLOCK / m->tokens;
	size_t parts = (blocks + most - 1) / most;
	struct tile a = { .stride = m->stride, .x = x, .apart = apart };

	memset(sum, 0, nsum * sizeof(sum[0]));
	n = parts > 1 ? (blocks + parts - 1) / parts * K3_MX_BLOCK : m->n;
	for (size_t i = 0; i < m->n; i += n) {
		a.n = least(n, m->n - i);
		arrange_x(x, m, i, a.n);
		for (size_t r = 0; r < apart; r++) {
			for (size_t k = 0; k < ROWS; k++) {
				size_t row = least(r + k * apart, m->rows - 1);

				a.w[k] = m->w + row * m->stride + i / 2;
				a.scale[k] = m->scale + row * m->scale_stride +
					     i / K3_MX_BLOCK;
			}
			a.sum = sum[r];
			tile_any(&a, m->tokens);
		}
	}
	for (size_t i = 0; i < nsum; i++)
		_mm512_storeu_ps(sum[i], arrange(sum[i], back));
	for (size_t t = 0; t < m->tokens; t++)
		k3_reduce_rows(sum + t * ROWS * apart, m->y + t * m->ldy,
		    m->rows);
}

/* All groups of tokens while a range of rows is in the second cache. */
void
k3_mul_mxfp4_avx512(const struct k3_mul *m)
{
	size_t groups = (m->tokens + TOKENS - 1) / TOKENS;
	size_t most = groups == 0 ? 1 : (m->tokens + groups - 1) / groups;
	size_t rows = SUMS / most / ROWS * ROWS;

	for (size_t r = 0; r < m->rows; r += rows)
		for (size_t g = 0; g < groups; g++) {
			size_t t = m->tokens * g / groups;
			struct k3_mul part = *m;

			part.w += r * m->stride;
			part.scale += r * m->scale_stride;
			part.rows = least(rows, m->rows - r);
			part.x += t * m->ldx;
			part.tokens = m->tokens * (g + 1) / groups - t;
			part.y += t * m->ldy + r;
			group(&part);
		}
}
