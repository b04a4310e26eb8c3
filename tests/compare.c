/*
 * compare.c - comparing numbers: the edges by hand, the rest against a slow
 * definition that knows of no bits
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "tests/tap.h"

static const struct k3_compare_limit none = { -1, -1, -1 };

static float
from_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Two numbers of a dtype, given as float32. */
static struct k3_compare
pair(enum k3_dtype dtype, float a, float b)
{
	struct k3_compare c;
	uint32_t x, y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	if (dtype == K3_BF16) {
		x >>= 16;
		y >>= 16;
	}
	k3_compare_init(&c, dtype, 3, &none);
	k3_compare_add(&c, &x, &y, 1, 7);
	return c;
}

static void
edges(void)
{
	static const struct {
		const char *what;
		enum k3_dtype dtype;
		float a, b;
		double abs, rel, ulp;
	} t[] = {
		{ "neighbours at 1", K3_F32, 1, 1 + 0x1p-23f, 0x1p-23,
		    0x1p-23 / (1 + 0x1p-23), 1 },
		{ "below 1 steps are half as long", K3_F32, 1, 1 - 0x1p-24f,
		    0x1p-24, 0x1p-24, 1 },
		{ "denormals", K3_F32, 0x1p-149f, 0x3p-149f, 0x1p-148, 2. / 3,
		    2 },
		{ "the least denormal and 0", K3_F32, 0, 0x1p-149f, 0x1p-149, 1,
		    1 },
		{ "across 0", K3_F32, -0x1p-149f, 0x1p-149f, 0x1p-148, 2, 2 },
		{ "denormal and normal", K3_F32, 0x1p-126f,
		    0x1p-126f - 0x1p-149f, 0x1p-149, 0x1p-23, 1 },
		{ "1 and -1", K3_F32, 1, -1, 2, 2, 2. * 0x3f800000 },
		{ "zeros", K3_F32, 0, -0.0f, 0, 0, 0 },
		{ "the largest and infinity", K3_F32, FLT_MAX, INFINITY,
		    INFINITY, INFINITY, 1 },
		{ "both infinities", K3_F32, INFINITY, -INFINITY, INFINITY,
		    INFINITY, 2. * 0x7f800000 },
		{ "the largest of both signs", K3_F32, FLT_MAX, -FLT_MAX,
		    2. * (double)FLT_MAX, 2, 2. * 0x7f7fffff },
		{ "neighbours in bf16", K3_BF16, 1, 1 + 0x1p-7f, 0x1p-7,
		    0x1p-7 / (1 + 0x1p-7), 1 },
		{ "bf16 across 0", K3_BF16, -0x1p-133f, 0x1p-133f, 0x1p-132, 2,
		    2 },
		{ "zeros in bf16", K3_BF16, -0.0f, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		for (int turn = 0; turn < 2; turn++) {
			float a = turn ? t[i].b : t[i].a;
			float b = turn ? t[i].a : t[i].b;
			struct k3_compare c = pair(t[i].dtype, a, b);
			bool zeros = t[i].ulp == 0;

			if (!ok(c.different == 1 && c.numbers == 1 &&
				    c.zeros == zeros && c.first == 7 &&
				    c.abs.error == t[i].abs &&
				    c.rel.error == t[i].rel &&
				    c.ulp.error == t[i].ulp && c.ulp.at == 7 &&
				    c.a == (double)a && c.b == (double)b,
				"%s%s", t[i].what, turn ? ", reversed" : ""))
				diag("%g %g %g", c.abs.error, c.rel.error,
				    c.ulp.error);
		}
}

static void
nans(void)
{
	float quiet = from_bits(0x7fc00000), other = from_bits(0xffc00001);
	struct k3_compare c = pair(K3_F32, quiet, other);

	ok(c.n == 1 && c.different == 0 && c.near == 0 && c.payloads == 1,
	    "a NaN equals a NaN of another payload and sign");
	c = pair(K3_F32, quiet, quiet);
	ok(c.different == 0 && c.payloads == 0, "and itself");
	c = pair(K3_F32, quiet, INFINITY);
	ok(c.different == 1 && c.nans == 1 && c.numbers == 0 && isnan(c.a) &&
		isinf(c.b),
	    "a NaN is no number, and has no error");
	c = pair(K3_BF16, 1, other);
	ok(c.different == 1 && c.nans == 1, "nor in bf16");
}

static void
wholes(void)
{
	static const uint8_t a[] = { 0, 255, 128, 3 },
			     b[] = { 255, 255, 127, 3 };
	static const uint8_t x[] = { 0, 0, 0, 0 }, y[] = { 255, 255, 255, 255 };
	struct k3_compare c;

	k3_compare_init(&c, K3_U8, 2, &none);
	k3_compare_add(&c, a, b, 4, 0);
	ok(c.n == 4 && c.different == 2 && c.first == 0 && c.ulp.error == 255 &&
		c.abs.error == 255 && c.rel.error == 1 && c.zeros == 0,
	    "bytes have no sign");
	k3_compare_init(&c, K3_U32, 0, &none);
	k3_compare_add(&c, x, y, 1, 0);
	ok(c.different == 1 && c.abs.error == 4294967295.0 && c.nans == 0,
	    "nor have counters, and none is a NaN");
}

/*
 * The definition: how many steps of nextafterf() from a to b, where they are
 * few; else the difference of their places, by exponents.
 */
static double
place(double x)
{
	int e;
	double m = frexp(fabs(x), &e), n;

	if (isinf(x))
		n = 255 * 0x1p23;
	else if (x == 0 || e < -125)
		n = fabs(x) * 0x1p149;
	else
		n = (e + 126 - 1) * 0x1p23 + m * 0x1p24;
	return x < 0 ? -n : n;
}

static double
steps(float a, float b)
{
	float x = a;
	int n = 0;

	while (x != b && n < 300) {
		x = nextafterf(x, b);
		n++;
	}
	return x == b ? n : fabs(place((double)a) - place((double)b));
}

struct slow {
	uint64_t different, near, rows, zeros, nans, payloads, first;
	double abs, rel, ulp;
	uint64_t abs_at, rel_at, ulp_at;
};

static struct slow
slowly(const float *a, const float *b, size_t n, size_t width,
    struct k3_compare_limit limit)
{
	size_t row = SIZE_MAX;
	struct slow s = { .first = UINT64_MAX,
		.abs = -1,
		.rel = -1,
		.ulp = -1 };

	for (size_t i = 0; i < n; i++) {
		double x = (double)a[i], y = (double)b[i], e[3];
		double large = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
		bool near = false;

		if (isnan(x) && isnan(y)) {
			s.payloads += memcmp(&a[i], &b[i], 4) != 0;
			continue;
		}
		if (x == y && signbit(x) == signbit(y))
			continue;
		if (isnan(x) || isnan(y)) {
			s.nans++;
		} else {
			e[0] = x > y ? x - y : y - x;
			e[1] = x == y         ? 0
			       : isinf(large) ? INFINITY
					      : e[0] / large;
			e[2] = x == y ? 0 : steps(a[i], b[i]);
			s.zeros += x == 0 && y == 0;
			if (e[0] > s.abs) {
				s.abs = e[0];
				s.abs_at = i;
			}
			if (e[1] > s.rel) {
				s.rel = e[1];
				s.rel_at = i;
			}
			if (e[2] > s.ulp) {
				s.ulp = e[2];
				s.ulp_at = i;
			}
			near = e[0] <= limit.abs || e[1] <= limit.rel ||
			       e[2] <= limit.ulp;
		}
		if (near) {
			s.near++;
			continue;
		}
		s.rows += i / width != row;
		row = i / width;
		if (s.different++ == 0)
			s.first = i;
	}
	return s;
}

static uint32_t seed = 1;

static uint32_t
draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Of any kind of bits, and its partner, mostly the same or near it. */
static void
draw_pair(float *a, float *b, uint32_t share)
{
	static const uint32_t special[] = { 0, 0x80000000, 1, 0x80000001,
		0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f7fffff,
		0x00800000, 0x007fffff };
	uint32_t x = draw(), y;

	if (draw() % 4 == 0)
		x = special[draw() % (sizeof(special) / sizeof(*special))];
	y = x;
	if (draw() % share == 0)
		switch (draw() % 4) {
		case 0:
			y = x ^ 0x80000000;
			break;
		case 1:
			y = x + draw() % 250;
			break;
		case 2:
			y = special[draw() %
				    (sizeof(special) / sizeof(*special))];
			break;
		default:
			y = draw();
		}
	*a = from_bits(x);
	*b = from_bits(y);
}

#define MOST 3000

static bool
same(const struct k3_compare *c, const struct slow *s, size_t n)
{
	bool errors =
	    c->numbers == 0
		? s->abs < 0
		: c->abs.error == s->abs && c->abs.at == s->abs_at &&
		      c->rel.error == s->rel && c->rel.at == s->rel_at &&
		      c->ulp.error == s->ulp && c->ulp.at == s->ulp_at;

	return errors && c->n == n && c->different == s->different &&
	       c->near == s->near && c->rows == s->rows &&
	       c->zeros == s->zeros && c->nans == s->nans &&
	       c->payloads == s->payloads &&
	       (s->different == 0 || c->first == s->first);
}

static void
definition(void)
{
	static const struct k3_compare_limit limits[] = { { -1, -1, -1 },
		{ 1e-3, -1, -1 }, { -1, 1e-5, -1 }, { -1, -1, 3 },
		{ 0, -1, -1 }, { 1, 0.5, 100 } };
	static float a[MOST], b[MOST];
	uint8_t shifted[MOST * sizeof(float) + 1];

	for (int turn = 0; turn < 600; turn++) {
		struct k3_compare_limit limit = limits[turn % 6];
		uint32_t share = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 5 : 900;
		size_t n = draw() % MOST, width = 1 + draw() % 9, cut;
		struct k3_compare c;
		struct slow s;

		for (size_t i = 0; i < n; i++)
			draw_pair(&a[i], &b[i], share);
		s = slowly(a, b, n, width, limit);
		memcpy(shifted + 1, b, n * sizeof(float));
		k3_compare_init(&c, K3_F32, width, &limit);
		for (size_t at = 0; at < n; at += cut) {
			cut = 1 + draw() % 700;
			cut = cut < n - at ? cut : n - at;
			k3_compare_add(&c, a + at, shifted + 1 + 4 * at, cut,
			    at);
		}
		if (!same(&c, &s, n)) {
			ok(false, "turn %d is as the slow definition says",
			    turn);
			return;
		}
	}
	ok(true, "600 drawn vectors are as the slow definition says");
}

int
main(void)
{
	edges();
	nans();
	wholes();
	definition();
	return tap_done();
}
