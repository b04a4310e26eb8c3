/*
 * compare.c - numbers of two runs, element by element
 */
#include <math.h>
#include <string.h>

#include "common/compare.h"
#include "common/le.h"

/* Elements that are looked at one by one if any of them differs. */
#define BLOCK 256

void
k3_compare_init(struct k3_compare *c, enum k3_dtype dtype, uint64_t width,
    const struct k3_compare_limit *limit)
{
	memset(c, 0, sizeof(*c));
	c->dtype = dtype;
	c->width = width > 0 ? width : 1;
	c->limit = *limit;
	c->abs.error = c->rel.error = c->ulp.error = -1;
}

static uint32_t
bits_of(enum k3_dtype dtype, const uint8_t *p)
{
	switch (dtype) {
	case K3_U8:
		return p[0];
	case K3_BF16:
		return p[0] | (uint32_t)p[1] << 8;
	default:
		return k3_le_get32(p);
	}
}

static double
value(enum k3_dtype dtype, uint32_t bits)
{
	float f;

	if (dtype == K3_U8 || dtype == K3_U32)
		return bits;
	if (dtype == K3_BF16)
		bits <<= 16;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Numbers of a dtype, counted from 0 on: sign and magnitude as one integer. */
static int64_t
rank(enum k3_dtype dtype, uint32_t bits)
{
	uint32_t sign = dtype == K3_BF16 ? 0x8000 : 0x80000000;

	if (dtype == K3_U8 || dtype == K3_U32)
		return bits;
	return bits & sign ? -(int64_t)(bits - sign) : (int64_t)bits;
}

static void
most(struct k3_compare_most *m, double error, uint64_t at)
{
	if (error > m->error)
		*m = (struct k3_compare_most){ error, at };
}

/* Two elements whose bits differ. */
static void
differ(struct k3_compare *c, uint32_t x, uint32_t y, uint64_t at)
{
	double a = value(c->dtype, x), b = value(c->dtype, y);
	double abs = fabs(a - b), large = fmax(fabs(a), fabs(b)), rel, ulp;
	bool near = false;

	if (isnan(a) && isnan(b)) {
		c->payloads++;
		return;
	}
	if (isnan(a) || isnan(b)) {
		c->nans++;
	} else {
		/* Zeros differ by nothing, also in relation to nothing. */
		rel = isinf(large) || large == 0 ? abs : abs / large;
		ulp = fabs((double)(rank(c->dtype, x) - rank(c->dtype, y)));
		most(&c->abs, abs, at);
		most(&c->rel, rel, at);
		most(&c->ulp, ulp, at);
		c->numbers++;
		c->zeros += large == 0;
		near = abs <= c->limit.abs || rel <= c->limit.rel ||
		       ulp <= c->limit.ulp;
	}
	if (near) {
		c->near++;
		return;
	}
	if (c->different == 0) {
		c->first = at;
		c->a = a;
		c->b = b;
	}
	if (c->different == 0 || c->last / c->width != at / c->width)
		c->rows++;
	c->different++;
	c->last = at;
}

void
k3_compare_add(struct k3_compare *c, const void *a, const void *b, size_t n,
    uint64_t at)
{
	size_t size = k3_dtype_size(c->dtype), block;
	const uint8_t *p = a, *q = b;

	c->n += n;
	for (; n > 0; n -= block) {
		block = n < BLOCK ? n : BLOCK;
		if (memcmp(p, q, block * size) == 0) {
			p += block * size;
			q += block * size;
			at += block;
			continue;
		}
		for (size_t i = 0; i < block; i++, at++, p += size, q += size) {
			uint32_t x = bits_of(c->dtype, p);
			uint32_t y = bits_of(c->dtype, q);

			if (x != y)
				differ(c, x, y, at);
		}
	}
}
