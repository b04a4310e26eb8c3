/*
 * elem.c - how far exp, tanh, sigmoid and silu are from the exact values
 *
 * An error is counted in ulp: the distance of the floats around the correctly
 * rounded result, which for denormal results is the smallest denormal.
 * "elem.t --all" tries every float there is, against the C library's double
 * functions, which err by less than 1e-8 of such an ulp; built with
 * CFLAGS="-O3 -march=native" it takes some minutes.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/elem.h"
#include "tests/tap.h"

#define BOUND  2.0
#define POINTS 300  /* a binade and sign */
#define DENSE  3000 /* where something happens: from 2^-4 to 2^7 */
#define NEAR   400  /* floats to each side of a place of interest */

typedef long double exact_fn(long double x);
typedef double quick_fn(double x);

static struct k3_kern kern;

static float
slot_sigmoid(float x)
{
	kern.sigmoid(&x, 1);
	return x;
}

static float
slot_silu(float x)
{
	kern.silu(&x, 1);
	return x;
}

static long double
sigmoid_l(long double x)
{
	return 1 / (1 + expl(-x));
}

static long double
silu_l(long double x)
{
	return x / (1 + expl(-x));
}

static double
sigmoid_d(double x)
{
	return 1 / (1 + exp(-x));
}

static double
silu_d(double x)
{
	return x / (1 + exp(-x));
}

static const struct elem {
	const char *name;
	float (*fn)(float);
	exact_fn *exact;
	quick_fn *quick;
	float special[8]; /* where its pieces meet and its results end */
} elem[] = {
	{ "exp", k3_exp, expl, exp,
	    { -87.33655f, -88.72284f, -103.2789f, -103.97208f, -120.0f,
		88.72284f, 90.0f, 0.34657359f } },
	{ "tanh", k3_tanh1, tanhl, tanh,
	    { 0.625f, -0.625f, 9.01091f, -9.01091f, 10.0f, -10.0f, 8.66434f,
		0x1p-126f } },
	{ "sigmoid", slot_sigmoid, sigmoid_l, sigmoid_d,
	    { -87.33655f, -88.72284f, -103.97208f, -120.0f, 120.0f, 16.635532f,
		17.328680f, 0x1p-126f } },
	{ "silu", slot_silu, silu_l, silu_d,
	    { -91.8565f, -88.72284f, -108.6663f, -120.0f, 120.0f, 17.328680f,
		-1.2784645f, 0x1p-126f } },
};
#define NELEM (sizeof(elem) / sizeof(elem[0]))

static float
from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

/* Infinity counts as 2^128, the float that would come next. */
static double
ulps(float got, long double want)
{
	float near = (float)want;
	int exp = isinf(near) ? 127 : near == 0 ? -126 : ilogbf(near);
	long double g = got;

	if (isnan(got))
		return INFINITY;
	if (isinf(near) && got == near)
		return 0;
	if (isinf(got))
		g = copysignl(0x1p128L, g);
	return (double)fabsl(ldexpl(g - want, 23 - (exp < -126 ? -126 : exp)));
}

struct worst {
	double ulp;
	float x;
};

static void
judge(struct worst *worst, const struct elem *e, float x)
{
	double ulp = ulps(e->fn(x), e->exact(x));

	if (ulp > worst->ulp) {
		worst->ulp = ulp;
		worst->x = x;
	}
}

/* Some floats of every binade, its ends among them, in both signs. */
static struct worst
sweep(const struct elem *e)
{
	struct worst worst = { -1, 0 };
	uint32_t rng = 1;

	for (uint32_t exp = 0; exp < 255; exp++) {
		uint32_t n = exp >= 123 && exp < 134 ? DENSE : POINTS;
		uint32_t step = (1u << 23) / (n - 1);

		for (uint32_t i = 0; i < n; i++) {
			uint32_t man = i * step, bits;

			rng = rng * 1664525u + 1013904223u;
			man += i == 0 ? 0 : rng / 256 % step;
			man = i == n - 1 ? 0x7fffff : man;
			bits = exp << 23 | man;
			judge(&worst, e, from_bits(bits));
			judge(&worst, e, from_bits(bits | 0x80000000u));
		}
	}
	for (size_t k = 0; k < 8; k++)
		for (int i = -NEAR; i <= NEAR; i++) {
			uint32_t u;

			memcpy(&u, &e->special[k], sizeof(u));
			judge(&worst, e, from_bits(u + (uint32_t)i));
		}
	return worst;
}

static bool
is(float got, float want, const char *what, float x)
{
	if (memcmp(&got, &want, sizeof(got)) == 0 ||
	    (isnan(got) && isnan(want)))
		return true;
	diag("%s(%a): got %a, want %a", what, x, got, want);
	return false;
}

static void
check_ends(void)
{
	const float huge[] = { INFINITY, FLT_MAX, 1e30f, 1e4f, 121.0f };
	const float tiny[] = { 0.0f, FLT_TRUE_MIN, 1e-40f, FLT_MIN, 1e-30f };
	bool top = true, zero = true, nan = true;

	for (size_t i = 0; i < 10; i++) {
		float h = i < 5 ? huge[i] : -huge[i - 5];
		float t = i < 5 ? tiny[i] : -tiny[i - 5];

		top = is(k3_exp(h), h > 0 ? INFINITY : 0, "exp", h) && top;
		top = is(k3_tanh1(h), h > 0 ? 1 : -1, "tanh", h) && top;
		top = is(slot_sigmoid(h), h > 0 ? 1 : 0, "sigmoid", h) && top;
		top = is(slot_silu(h), h > 0 ? h : -0.0f, "silu", h) && top;
		zero = is(k3_exp(t), 1, "exp", t) && zero;
		zero = is(k3_tanh1(t), t, "tanh", t) && zero;
		zero = is(slot_sigmoid(t), 0.5f, "sigmoid", t) && zero;
		zero = is(slot_silu(t), t / 2, "silu", t) && zero;
	}
	for (size_t i = 0; i < NELEM; i++)
		for (int sign = -1; sign <= 1; sign += 2) {
			float x = copysignf(NAN, (float)sign);

			nan = is(elem[i].fn(x), NAN, elem[i].name, x) && nan;
		}
	ok(top, "infinity and what is near it give the limits");
	ok(zero, "zero and what is near it keep sign and value");
	ok(nan, "NaN gives NaN");
}

/* The slots made of them: nothing that is finite gives anything but. */
static void
check_robust(void)
{
	const float v[] = { 0, -0.0f, 1, -1, 1e-40f, -1e-40f, 120, -120, 1e30f,
		-1e30f, FLT_MAX, -FLT_MAX };
	const size_t n = sizeof(v) / sizeof(v[0]);
	bool finite = true;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			float situ = v[i], decay = v[i], gate = v[i];

			kern.situ(&situ, &v[j], 1, 4.0f, 25.0f);
			kern.decay(&decay, &v[j], 1, 3.0f, -5.0f);
			kern.gate(&gate, &v[j], 1);
			if (fabsf(situ) <= 100 && decay >= 0x1.b993fap-8f &&
			    decay <= 1 && fabsf(gate) <= fabsf(v[i]))
				continue;
			diag("%a and %a: situ %a, decay %a, gate %a", v[i],
			    v[j], situ, decay, gate);
			finite = false;
		}
	ok(finite, "situ, decay and gate stay in range for all finite inputs");
}

/* Every float, by blocks: loops that a compiler can make vectors of. */
static void
exps(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_exp1(x[i]);
}

static void
tanhs(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = k3_tanh1(x[i]);
}

/* A result that is the correctly rounded one is within half an ulp. */
static struct worst
every(const struct elem *e, void (*block)(float *x, size_t n))
{
	enum {
		N = 1 << 12
	};
	struct worst worst = { 0.5, 0 };
	float x[N], y[N];

	for (uint64_t u = 0; u < (uint64_t)1 << 32; u += N) {
		for (uint32_t i = 0; i < N; i++)
			x[i] = from_bits((uint32_t)u + i);
		if (isnan(x[N - 1]))
			continue;
		memcpy(y, x, sizeof(y));
		block(y, N);
		for (uint32_t i = 0; i < N; i++) {
			double want = e->quick(x[i]), ulp;

			if (y[i] == (float)want)
				continue;
			ulp = ulps(y[i], want);
			if (ulp > worst.ulp) {
				worst.ulp = ulp;
				worst.x = x[i];
			}
		}
	}
	return worst;
}

int
main(int argc, char **argv)
{
	bool all = argc > 1 && strcmp(argv[1], "--all") == 0;

	k3_kern_init(&kern, k3_cpu_detect());
	for (size_t i = 0; i < NELEM; i++) {
		const struct elem *e = &elem[i];
		struct worst w = !all                 ? sweep(e)
				 : e->fn == k3_exp    ? every(e, exps)
				 : e->fn == k3_tanh1  ? every(e, tanhs)
				 : e->fn == slot_silu ? every(e, kern.silu)
						      : every(e, kern.sigmoid);

		diag("%s: at most %.4f ulp, at %a", e->name, w.ulp, w.x);
		ok(w.ulp <= BOUND, "%s is within 2 ulp", e->name);
	}
	check_ends();
	check_robust();
	return tap_done();
}
