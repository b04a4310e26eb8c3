/*
 * elem.h - the elementary functions: their one definition
 *
 * exp, tanh, sigmoid and silu in steps that every CPU rounds alike: fma, the
 * four operations and integer arithmetic, no table and no branch, so that a
 * compiler can turn a loop of them into vectors without changing a bit.
 * Each is within 2 ulp of the exact value over all of float32, denormal
 * results included: exp 0.99, tanh 1.34, sigmoid 1.69, silu 1.73
 * (tests/elem.c --all).
 *
 * The coefficients are Chebyshev interpolations, by scripts/fit-elem.py.
 */
#ifndef K3_KERNELS_ELEM_H
#define K3_KERNELS_ELEM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/impl.h"

/* exp(x) = (1 + t) * 2^k, with t in [-0.3, 0.42]. */
struct k3_expo {
	float t;
	int32_t k;
};

static inline float
k3_pow2(int32_t k)
{
	uint32_t bits = ((uint32_t)k + 127) << 23;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* f * 2^k, rounded once: in halves, as 2^k may be no float of its own. */
static inline float
k3_scale2(float f, int32_t k)
{
	int32_t half = k >> 1;

	return f * k3_pow2(half) * k3_pow2(k - half);
}

/*
 * |x| is at most 120; exp(-120) is 0, even if multiplied by 120.
 * k = round(x / ln 2) comes out of the low bits of a float that has no room
 * for a fraction; r = x - k ln 2, with ln 2 in two parts;
 * exp(r) = 1 + r + r^2 q(r), |error| < 7e-10.
 */
static inline struct k3_expo
k3_expo(float x)
{
	const float round = 0x1.8p23f;
	struct k3_expo e;
	float kf, r, q;
	uint32_t bits;

	kf = fmaf(x, 0x1.715476p+0f, round);
	memcpy(&bits, &kf, sizeof(bits));
	kf -= round;
	r = fmaf(kf, -0x1.62e430p-1f, x);
	r = fmaf(kf, 0x1.05c610p-29f, r);
	q = 0x1.a124f2p-13f;
	q = fmaf(q, r, 0x1.6d4324p-10f);
	q = fmaf(q, r, 0x1.1110e0p-7f);
	q = fmaf(q, r, 0x1.5554eap-5f);
	q = fmaf(q, r, 0x1.555556p-3f);
	q = fmaf(q, r, 0x1.000000p-1f);
	e.t = fmaf(r * r, q, r);
	e.k = (int32_t)(bits - 0x4b400000u);
	return e;
}

static inline float
k3_clamp(float x, float lo, float hi)
{
	x = x < lo ? lo : x;
	return x > hi ? hi : x;
}

static inline float
k3_expo_value(struct k3_expo e)
{
	return k3_scale2(1.0f + e.t, e.k);
}

static inline float
k3_exp1(float x)
{
	return k3_expo_value(k3_expo(k3_clamp(x, -120.0f, 90.0f)));
}

/*
 * num / (1 + exp(-x)), where num is 1 or x.  With exp(-x) = (1 + t) 2^k, a
 * negative x makes it num / (1 + t + 2^-k) 2^-k, so that nothing overflows and
 * a denormal result is rounded once; the exponent is -|k| on both sides.  The
 * denominator 1 + s + t, or 1 + s + s t, is rounded about once as well: 1 + s
 * is taken in two parts.
 */
static inline float
k3_logistic(float num, float x)
{
	struct k3_expo e = k3_expo(-x);
	int32_t k = e.k < 0 ? e.k : -e.k;
	float s = k3_scale2(1.0f, k);
	float high = 1.0f + s, low = s - (high - 1.0f);
	float q = num / (high + (x < 0 ? e.t + low : fmaf(e.t, s, low)));

	return x < 0 ? k3_scale2(q, k) : q;
}

static inline float
k3_sigmoid1(float x)
{
	return k3_logistic(1.0f, k3_clamp(x, -120.0f, 120.0f));
}

/* Below -120 silu is -0; above 120 it is x. */
static inline float
k3_silu1(float x)
{
	float num = x < -120.0f ? -120.0f : x;

	return k3_logistic(num, k3_clamp(x, -120.0f, 120.0f));
}

/*
 * Below 0.625 an odd polynomial, x + x^3 p(x^2), |error| < 7e-9 relative;
 * above, 1 - 2 / (exp(2 |x|) + 1), which loses nothing there and is 1 from
 * 9.1 on.  The sign is set in the end because the polynomial makes +0 of -0.
 */
static inline float
k3_tanh1(float x)
{
	float a = fabsf(x), z = x * x;
	float b = a > 10.0f ? 10.0f : a;
	struct k3_expo e = k3_expo(b + b);
	float big = 1.0f - 2.0f / (k3_expo_value(e) + 1.0f);
	float p;

	p = 0x1.2c7abep-9f;
	p = fmaf(p, z, -0x1.1167aap-7f);
	p = fmaf(p, z, 0x1.64a8fcp-6f);
	p = fmaf(p, z, -0x1.ba08bap-5f);
	p = fmaf(p, z, 0x1.1110e8p-3f);
	p = fmaf(p, z, -0x1.555556p-2f);
	p = fmaf(x * z, p, x);
	return copysignf(a < 0.625f ? p : big, x);
}

/* b1 tanh(a / b1) sigmoid(a) * b2 tanh(b / b2), from the left. */
static inline float
k3_situ1(float a, float b, float b1, float b2)
{
	float gate = b1 * k3_tanh1(a / b1) * k3_sigmoid1(a);

	return gate * (b2 * k3_tanh1(b / b2));
}

#endif
