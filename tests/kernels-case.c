/*
 * kernels-case.c - draw the sizes and values of a kernel's call
 */
#include <math.h>
#include <string.h>

#include "tests/guard.h"
#include "tests/kernels-case.h"

#define ARENA  ((size_t)1 << 21)
#define MARGIN 64

/* What lies around inputs is NaN, so that using it shows; around outputs not,
 * since NaNs are all alike here. */
#define POISON_IN  0xff
#define POISON_OUT 0x5c

/* How wild the values of a case are. */
enum {
	TAME,
	SPREAD,
	WILD
};

const char *const case_name[NSLOT] = { "mul_f32", "mul_bf16", "mul_mxfp4",
	"tmul_f32", "tmul_bf16", "silu", "sigmoid", "situ", "gate", "decay",
	"axpy", "conv", "kda", "softmax" };

static uint64_t rng;

void
case_seed(uint64_t seed)
{
	rng = seed;
}

uint32_t
case_rnd(void)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 32);
}

static float
from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

/*
 * Tame: below 1, with zeros of both signs and denormals among them.  Spread:
 * to +-130, where the elementary functions saturate.  Wild: any float with an
 * exponent up to 'limit', and infinities if that is 254.
 */
static float
draw(const struct kcase *c)
{
	uint32_t u = case_rnd(), sign = u & 0x80000000u;
	uint32_t kind = u % 16, end = (c->limit + 1) << 23;
	float f = (float)(int32_t)case_rnd() * 0x1p-31f;

	if (kind == 0)
		return from_bits(sign);
	if (kind == 1)
		return from_bits(sign | (u >> 5 & 0x7fffffu));
	if (c->how == SPREAD)
		return f * 130;
	if (c->how == TAME || kind % 2 == 0)
		return f;
	if (kind == 3)
		return from_bits(
		    sign | (c->limit == 254 && u >> 8 & 1 ? end : end - 1));
	return from_bits(sign | case_rnd() % end);
}

/* Cut 'len' bytes out of arena 'i', against the page after it, against the
 * one before it, or 'align' or more bytes off. */
static void *
cut(struct kcase *c, unsigned i, size_t len, size_t align)
{
	static char *arena[CASE_BUFS];
	uint32_t u = case_rnd();
	char *lo, *hi;

	if (arena[i] == NULL)
		arena[i] = guard_end(ARENA);
	if (len > ARENA - MARGIN * align)
		abort();
	lo = u % 4 == 0 ? arena[i] : arena[i] + ARENA - len;
	if (u % 4 == 1)
		lo -= align * (1 + u / 4 % (MARGIN - 1));
	hi = lo + len;
	c->buf[i].lo = lo - arena[i] < MARGIN ? arena[i] : lo - MARGIN;
	c->buf[i].hi =
	    arena[i] + ARENA - hi < MARGIN ? arena[i] + ARENA : hi + MARGIN;
	memset(c->buf[i].lo, (c->out >> i & 1) != 0 ? POISON_OUT : POISON_IN,
	    (size_t)(c->buf[i].hi - c->buf[i].lo));
	return lo;
}

/* A vector of drawn values. */
static float *
vec(struct kcase *c, unsigned i, size_t n)
{
	float *p = cut(c, i, n * sizeof(*p), sizeof(*p));

	for (size_t k = 0; k < n; k++)
		p[k] = draw(c);
	return p;
}

/* Rows of drawn values, 'ld' floats apart. */
static float *
mat(struct kcase *c, unsigned i, size_t rows, size_t n, size_t ld, bool fill)
{
	float *p;

	p = cut(c, i, rows == 0 ? 0 : ((rows - 1) * ld + n) * sizeof(*p),
	    sizeof(*p));
	for (size_t r = 0; fill && r < rows; r++)
		for (size_t k = 0; k < n; k++)
			p[r * ld + k] = draw(c);
	return p;
}

/* Stored weights, in buffers 0 and 1. */
static void
weights(struct kcase *c)
{
	struct k3_mul *m = &c->mul;
	int slot = c->slot;
	bool mx = slot == MUL_MXFP4, wide = slot == MUL_F32 || slot == TMUL_F32;
	size_t row = mx ? m->n / 2 : m->n * (wide ? 4 : 2);
	size_t nscale = mx ? m->n / K3_MX_BLOCK : 0;
	uint8_t *w, *scale;

	m->stride = row + (case_rnd() % 3 == 0 ? 0 : case_rnd() % 70);
	m->scale_stride = nscale + (case_rnd() % 3 == 0 ? 0 : case_rnd() % 9);
	m->w = w =
	    cut(c, 0, m->rows == 0 ? 0 : (m->rows - 1) * m->stride + row, 1);
	m->scale = scale = cut(c, 1,
	    m->rows == 0 ? 0 : (m->rows - 1) * m->scale_stride + nscale, 1);
	for (size_t r = 0; r < m->rows; r++, w += m->stride) {
		for (size_t i = 0; mx && i < row; i++)
			w[i] = (uint8_t)(case_rnd() >> 24);
		for (size_t i = 0; !mx && i < m->n; i++) {
			float f = draw(c);

			if (wide)
				memcpy(w + 4 * i, &f, 4);
			else
				memcpy(w + 2 * i, (char *)&f + 2, 2);
		}
		for (size_t i = 0; i < nscale; i++) {
			uint32_t u = case_rnd();

			scale[r * m->scale_stride + i] =
			    (uint8_t)(c->how != WILD ? 107 + u % 40
				      : u % 8 == 0   ? 251 + u / 8 % 2
				      : u % 8 == 1   ? u / 8 % 2
						     : u / 8 % (K3_MX_MAX + 1));
		}
	}
}

static void
make_mul(struct kcase *c)
{
	struct k3_mul *m = &c->mul;
	bool t = c->slot == TMUL_F32 || c->slot == TMUL_BF16;
	size_t nx = t ? m->rows : m->n, ny = t ? m->n : m->rows;

	c->out = 1u << 3;
	m->ldx = nx + (case_rnd() % 2 == 0 ? 0 : case_rnd() % 20);
	m->ldy = ny + (case_rnd() % 2 == 0 ? 0 : case_rnd() % 20);
	weights(c);
	m->x = mat(c, 2, m->tokens, nx, m->ldx, true);
	m->y = mat(c, 3, m->tokens, ny, m->ldy, t);
}

static void
make_kda(struct kcase *c)
{
	struct k3_kda *k = &c->kda;
	size_t n = c->mul.n, tokens = c->mul.tokens;
	float *v;

	c->out = 1u << 0 | 1u << 5 | (c->alias ? 1u << 3 : 0);
	k->tokens = tokens;
	k->dim = n;
	k->ld = n + (case_rnd() % 2 == 0 ? 0 : case_rnd() % 20);
	k->ldbeta = 1 + case_rnd() % 4;
	k->s = vec(c, 0, n * n);
	k->q = mat(c, 1, tokens, n, k->ld, true);
	k->k = mat(c, 2, tokens, n, k->ld, true);
	k->v = v = mat(c, 3, tokens, n, k->ld, true);
	k->decay = mat(c, 4, tokens, n, k->ld, true);
	k->o = mat(c, 5, c->alias ? 0 : tokens, n, k->ld, false);
	k->beta = mat(c, 6, tokens, 1, k->ldbeta, true);
	if (c->alias)
		k->o = v;
}

/* Values are limited so that no score overflows: what the maximum of NaNs is,
 * is not defined. */
static void
make_softmax(struct kcase *c)
{
	struct k3_softmax *a = &c->softmax;

	c->out = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3;
	a->n = c->mul.rows;
	a->nq = c->mul.tokens;
	a->nvalue = c->mul.n;
	a->ld = a->n + (case_rnd() % 2 == 0 ? 0 : case_rnd() % 20);
	a->ldacc = a->nvalue + (case_rnd() % 2 == 0 ? 0 : case_rnd() % 20);
	c->limit = 240;
	a->scale = (float)(1 + case_rnd() % 1000) * 1e-3f;
	a->score = mat(c, 0, a->nq, a->n, a->ld, true);
	a->m = vec(c, 1, a->nq);
	a->sum = vec(c, 2, a->nq);
	a->acc = mat(c, 3, a->nq, a->nvalue, a->ldacc, true);
	for (size_t q = 0; q < a->nq; q++) {
		if (case_rnd() % 2 == 0)
			continue;
		a->m[q] = -INFINITY;
		a->sum[q] = 0;
		for (size_t i = 0; i < a->nvalue; i++)
			a->acc[q * a->ldacc + i] = 0;
	}
	/* A maximum of 0, of either sign. */
	for (size_t i = 0; i < a->nq * a->n && case_rnd() % 8 == 0; i++) {
		float *x = &a->score[i / a->n * a->ld + i % a->n];

		*x = *x > 0 ? -0.0f : *x;
		a->m[i / a->n] = -fabsf(a->m[i / a->n]);
	}
}

void
case_make(struct kcase *c, int slot, size_t n, size_t rows, size_t tokens)
{
	uint32_t u = case_rnd();

	memset(c, 0, sizeof(*c));
	c->how = u % 8 == 0 ? WILD : u % 8 == 1 ? SPREAD : TAME;
	c->limit = u / 16 % 2 == 0 ? 254 : 189;
	c->slot = slot;
	c->out = 1;
	c->alias = u / 8 % 2 == 0 && (slot == CONV || slot == KDA);
	c->mul.n = n;
	c->mul.rows = rows;
	c->mul.tokens = tokens;
	c->par[0] = draw(c);
	c->par[1] = draw(c) * 8;
	if (slot <= TMUL_BF16) {
		make_mul(c);
	} else if (slot == KDA) {
		make_kda(c);
	} else if (slot == SOFTMAX) {
		make_softmax(c);
	} else if (slot == CONV) {
		c->out = c->alias ? 1u << 3 : 1u << 5;
		for (unsigned i = 0; i < 4; i++)
			c->p[i] = vec(c, i, n);
		c->p[4] = vec(c, 4, n * K3_TAPS);
		c->p[5] = vec(c, 5, c->alias ? 0 : n);
		if (c->alias)
			c->p[5] = c->p[3];
	} else {
		/* Half of the elementwise cases reach the ends. */
		if (c->how == TAME && u / 32 % 2 == 0)
			c->how = SPREAD;
		c->p[0] = vec(c, 0, n);
		c->p[1] = vec(c, 1, n);
		/* Caps that values do not only run into. */
		if (slot == SITU && c->how != WILD)
			for (int i = 0; i < 2; i++)
				c->par[i] = 1 + fabsf(draw(c));
	}
}
