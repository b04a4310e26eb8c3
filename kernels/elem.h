/*
 * elem.h - the elementary functions: their one definition
 *
 * exp, tanh, sigmoid and silu in steps that every CPU rounds alike: fma, the
 * four operations and integer arithmetic, no table and no branch, so that a
 * compiler can turn a loop of them into vectors without changing a bit.
 * Each is within 2 ulp of the exact value over all of float32, denormal
 * results included (tests/elem.c).
 *
 * The coefficients are Chebyshev interpolations, by scripts/fit-elem.py.
 */
#ifndef K3_KERNELS_ELEM_H
#define K3_KERNELS_ELEM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/impl.h"

/* exp(x) = p * s1 * s2, with p in [0.7, 1.42] and two powers of two. */
struct k3_expo {
	float p, s1, s2;
};

static inline float
k3_pow2(uint32_t k)
{
	uint32_t bits = (k + 127) << 23;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/*
 * 'x' is at most 90, and at least -120, where exp is 0; both are far enough
 * out for callers that multiply by x.  k = round(x / ln 2) comes out of the
 * low bits of a float that has no room for a fraction; r = x - k ln 2, with
 * ln 2 in two parts; exp(r) = 1 + r + r^2 q(r), |error| < 7e-10.  The power
 * of two is applied in halves: one alone may be below the smallest float.
 */
static inline struct k3_expo
k3_expo(float x)
{
	const float round = 0x1.8p23f;
	struct k3_expo e;
	float kf, r, q;
	uint32_t bits;
	int32_t k, half;

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
	e.p = fmaf(r * r, q, r) + 1.0f;
	k = (int32_t)(bits - 0x4b400000u);
	half = k >> 1;
	e.s1 = k3_pow2((uint32_t)half);
	e.s2 = k3_pow2((uint32_t)(k - half));
	return e;
}

static inline float
k3_clamp(float x, float lo, float hi)
{
	x = x < lo ? lo : x;
	return x > hi ? hi : x;
}

static inline float
k3_exp1(float x)
{
	struct k3_expo e = k3_expo(k3_clamp(x, -120.0f, 90.0f));

	return e.p * e.s1 * e.s2;
}

/*
 * x / (1 + exp(-x)), with 'num' in the place of x.  For negative x it is
 * num exp(x) / (1 + exp(x)), with the power of two applied last, so that a
 * denormal result is rounded once.
 */
static inline float
k3_logistic(float num, float x)
{
	float neg = x < 0 ? x : -x;
	struct k3_expo e = k3_expo(neg);
	float z = e.p * e.s1 * e.s2;
	float up = num / (1.0f + z);
	float down = num * e.p / (1.0f + z) * e.s1 * e.s2;

	return x < 0 ? down : up;
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
 * 9.1 on.
 */
static inline float
k3_tanh1(float x)
{
	float a = fabsf(x), z = x * x;
	float b = a > 10.0f ? 10.0f : a;
	struct k3_expo e = k3_expo(b + b);
	float big = 1.0f - 2.0f / (e.p * e.s1 * e.s2 + 1.0f);
	float p;

	p = 0x1.2c7abep-9f;
	p = fmaf(p, z, -0x1.1167aap-7f);
	p = fmaf(p, z, 0x1.64a8fcp-6f);
	p = fmaf(p, z, -0x1.ba08bap-5f);
	p = fmaf(p, z, 0x1.1110e8p-3f);
	p = fmaf(p, z, -0x1.555556p-2f);
	p = fmaf(x * z, p, x);
	return a < 0.625f ? p : copysignf(big, x);
}

/* b1 tanh(a / b1) sigmoid(a) * b2 tanh(b / b2), from the left. */
static inline float
k3_situ1(float a, float b, float b1, float b2)
{
	float gate = b1 * k3_tanh1(a / b1) * k3_sigmoid1(a);

	return gate * (b2 * k3_tanh1(b / b2));
}

#endif
