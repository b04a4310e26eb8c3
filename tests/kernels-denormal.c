/*
 * kernels-denormal.c - denormals are computed with, and come out
 *
 * Each slot gets numbers whose result is known without a reference: a CPU or a
 * library that flushes denormals would flush them in all tables alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernels-case.h"
#include "tests/tap.h"

#define N    (2 * K3_MX_BLOCK)
#define ROWS 9
#define TOK  9
#define ODD  (N - 3) /* has a tail in every variant */

/* In double, where all of these are numbers like others. */
static bool
all_are(const float *y, size_t n, double want, const char *what)
{
	for (size_t i = 0; i < n; i++)
		if ((double)y[i] != want) {
			diag("%s: %zu is %a, not %a", what, i, y[i], want);
			return false;
		}
	return true;
}

static bool
is_denormal(float got, const char *what)
{
	if (fpclassify(got) == FP_SUBNORMAL)
		return true;
	diag("%s is %a", what, got);
	return false;
}

/* Weights that are all 'w', times activations that are all 'x'; MXFP4 codes of
 * 1/2 and a scale of 2 'w', as far as there is one. */
static bool
product(int slot, k3_mul_fn *fn, float w, float x)
{
	static uint8_t weight[ROWS * N * sizeof(float)], scale[ROWS * N / 32];
	static float in[TOK * N], y[TOK * N];
	bool t = slot == TMUL_F32 || slot == TMUL_BF16;
	bool bf16 = slot == MUL_BF16 || slot == TMUL_BF16;
	size_t n = slot == MUL_MXFP4 ? N : ODD;

	for (size_t i = 0; i < ROWS * N; i++)
		if (bf16)
			memcpy(weight + 2 * i, (char *)&w + 2, 2);
		else
			memcpy(weight + 4 * i, &w, 4);
	if (slot == MUL_MXFP4) {
		memset(weight, 0x11, sizeof(weight));
		memset(scale, ilogbf(w) + 128, sizeof(scale));
	}
	for (size_t i = 0; i < TOK * N; i++)
		in[i] = x;
	for (size_t nt = 1; nt <= TOK; nt++) {
		struct k3_mul m = { weight, scale, n * (bf16 ? 2 : 4), N / 32,
			ROWS, n, in, nt, N, t ? n : ROWS, y };
		double want = (double)w * x * (double)(t ? ROWS : n);

		if (slot == MUL_MXFP4)
			m.stride = n / 2;
		memset(y, 0, sizeof(y));
		fn(&m);
		if (!all_are(y, nt * m.ldy, want, case_name[slot]))
			return false;
	}
	return true;
}

static bool
products(const struct k3_kern *kern)
{
	k3_mul_fn *fn[] = { kern->mul_f32, kern->mul_bf16, kern->mul_mxfp4,
		kern->tmul_f32, kern->tmul_bf16 };
	bool good = true;

	for (int s = MUL_F32; s <= TMUL_BF16; s++)
		good = product(s, fn[s], 0x1p-70f, 0x1p-70f) &&
		       product(s, fn[s], 0x1p-128f, 0x1p20f) &&
		       product(s, fn[s], 0x1p-10f, 0x1p-130f) && good;
	return good;
}

static void
fill(float *x, float value)
{
	for (size_t i = 0; i < N; i++)
		x[i] = value;
}

/* exp, and what is made of it, where the result has no full exponent. */
static bool
elementwise(const struct k3_kern *kern)
{
	float a[N], b[N], far[N];
	bool good;

	fill(a, 0x1p-140f);
	kern->silu(a, ODD);
	good = all_are(a, ODD, 0x1p-141, "silu");
	fill(a, 0x1p-140f);
	fill(b, 0);
	kern->gate(a, b, ODD);
	good = all_are(a, ODD, 0x1p-141, "gate") && good;
	fill(a, 0x1p-130f);
	fill(far, 1e9f);
	kern->situ(a, far, ODD, 1, 0x1p-5f);
	good = all_are(a, ODD, 0x1p-136, "situ") && good;
	fill(a, 0x1p-140f);
	fill(b, 0x1p-75f);
	kern->axpy(a, b, ODD, 0x1p-65f);
	good = all_are(a, ODD, 0x1p-139, "axpy") && good;

	fill(a, -100);
	kern->sigmoid(a, ODD);
	good = is_denormal(a[0], "sigmoid(-100)") &&
	       all_are(a, ODD, a[0], "sigmoid") && good;
	fill(a, 0);
	kern->decay(a, far, ODD, 1, -100);
	good = is_denormal(a[0], "decay to exp(-100)") &&
	       all_are(a, ODD, a[0], "decay") && good;
	return good;
}

/* Four taps of 2^-140, and a state of 2^-130 that halves. */
static bool
steps(const struct k3_kern *kern)
{
	static float s[ODD * ODD], half[N], zero[N], one[N], a[N], w[4 * N];
	const float *in[K3_TAPS] = { a, a, a, a };
	float beta = 0, o[N], y[N], score[2] = { 0, -100 }, m = -INFINITY,
	      sum = 0;
	struct k3_kda kda = { s, one, zero, zero, half, &beta, o, 1, ODD, 1,
		ODD };
	struct k3_softmax soft = { score, 1, 2, 2, 1, &m, &sum, a, 0, 0 };
	bool good;

	fill(a, 0x1p-70f);
	for (size_t i = 0; i < 4; i++)
		fill(w + i * N, 0x1p-70f);
	kern->conv(y, in, w, ODD);
	good = all_are(y, ODD, 0x1p-139, "conv");

	fill(half, 0.5f);
	fill(one, 1);
	for (size_t i = 0; i < ODD * ODD; i++)
		s[i] = 0x1p-130f;
	kern->kda(&kda);
	good = all_are(s, ODD * ODD, 0x1p-131, "kda's state") &&
	       all_are(o, ODD, ODD * 0x1p-131, "kda") && good;

	kern->softmax(&soft);
	return is_denormal(score[1], "exp(-100) in softmax") && good;
}

bool
case_denormals(const struct k3_kern *kern)
{
	bool a = products(kern), b = elementwise(kern), c = steps(kern);

	return a && b && c;
}
