/*
 * kernels.h - the table of hot loops and how it is filled
 *
 * Every hot loop of the engine is one slot of struct k3_kern.  A slot has one
 * scalar definition, in kernels/NAME.c, which is the specification; and any
 * number of variants, in kernels/x86/NAME_ISA.c and kernels/arm/NAME_ISA.c.
 * Variants return the same bits as the scalar definition on every input
 * without NaNs; where a NaN comes out, its payload is not defined.
 *
 * Kernels are pure: they do not allocate, print, fail, read globals or start
 * threads.  Callers split rows among threads and check sizes.  No pointer
 * needs any alignment beyond its C type, no byte outside the given ranges is
 * touched, every count may be 0, and outputs overlap nothing else unless a
 * slot says that it works in place.
 */
#ifndef K3_KERNELS_KERNELS_H
#define K3_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Partial sums a dot product keeps: element i goes to sum i mod 16 by fma, in
 * rising i, and the sums are added 16 to 8 to 4 to 2 to 1, the upper half
 * onto the lower.  Sixteen is one zmm, two ymm or four q registers, so each
 * ISA can hold the same sums in the same lanes.
 */
#define K3_LANES 16

/* Weights that share an MXFP4 scale byte. */
#define K3_MX_BLOCK 32

/* The largest MXFP4 scale byte whose weights are all finite in float32. */
#define K3_MX_MAX 252

/* CPU features that select variants; a mask of them is a "level". */
enum {
	K3_CPU_AVX2 = 1u << 0,   /* AVX2, FMA and F16C */
	K3_CPU_AVX512 = 1u << 1, /* F, BW, DQ and VL */
	K3_CPU_NEON = 1u << 2,   /* AArch64 baseline */
};

/*
 * A product of stored weights with activations.
 *
 * mul:  y[t][r] = dot(row r of w, x[t]); x is [tokens][n], y [tokens][rows].
 * tmul: y[t][j] = fma(w[r][j], x[t][r], y[t][j]) for each r, rising: onto what
 *       y holds; x is [tokens][rows], y [tokens][n].
 *
 * Rows stand 'stride' bytes apart, tokens ldx and ldy floats apart.  For MXFP4
 * n is a multiple of 32, a row is n / 2 bytes (input 2j in the low nibble of
 * byte j, 2j + 1 in the high one), and row r's n / 32 scale bytes, none above
 * K3_MX_MAX, are at scale + r * scale_stride; a weight is its E2M1 value times
 * 2^(e - 127), -0 included.
 */
struct k3_mul {
	const uint8_t *w, *scale;
	size_t stride, scale_stride;
	size_t rows, n;
	const float *x;
	size_t tokens, ldx, ldy;
	float *y;
};
typedef void k3_mul_fn(const struct k3_mul *m);

/* In place, elementwise: x = silu(x) = x sigmoid(x). */
typedef void k3_silu_fn(float *x, size_t n);

/* x = sigmoid(x). */
typedef void k3_sigmoid_fn(float *x, size_t n);

/* a = b1 tanh(a / b1) sigmoid(a) * (b2 tanh(b / b2)): situ's two caps. */
typedef void k3_situ_fn(float *a, const float *b, size_t n, float b1, float b2);

/* o = o * sigmoid(g): an output gate. */
typedef void k3_gate_fn(float *o, const float *g, size_t n);

/* f = exp(lower * sigmoid(a * (f + bias))): KDA's decay of a head. */
typedef void k3_decay_fn(float *f, const float *bias, size_t n, float a,
    float lower);

/* y = fma(a, x, y): one term of a weighted sum. */
typedef void k3_axpy_fn(float *y, const float *x, size_t n, float a);

/*
 * The causal depthwise convolution of K3_TAPS taps, then silu, for 'n'
 * channels of one token: y[c] = silu(w[c][0] a[c] + w[c][1] b[c] +
 * w[c][2] c[c] + w[c][3] x[c]), from 0 by fma, tap 0 first; in[0] is the
 * oldest input and in[3] the newest.  y may be in[3].
 */
#define K3_TAPS 4
typedef void k3_conv_fn(float *y, const float *const in[K3_TAPS],
    const float *w, size_t n);

/*
 * Tokens of one KDA head, one after the other.  s is the state [dim key][dim
 * value]; for each token, in order: s[i][:] *= decay[i]; u = s^T k; s[i][:] =
 * fma(k[i], beta (v - u), s[i][:]); o = s^T q.  Transposed products add in
 * rising key by fma from 0.  q, k, v, decay and o are [tokens][dim], 'ld'
 * floats apart, betas 'ldbeta' apart; o may be v.
 */
struct k3_kda {
	float *s;
	const float *q, *k, *v, *decay, *beta;
	float *o;
	size_t tokens, ld, ldbeta, dim;
};
typedef void k3_kda_fn(const struct k3_kda *a);

/*
 * One block of positions in the softmax of 'nq' queries of attention.  For
 * each: score[i] *= scale; m' = max(m, scores) + 0, which makes +0 of -0;
 * c = exp(m - m'); sum and acc are multiplied by c once; then positions rise:
 * score[i] = exp(score[i] - m'), sum += score[i].  A fresh query has m =
 * -infinity, sum and acc 0.  No positions change nothing.
 *
 * The rest of attention are products: scores before it, mul with latents as
 * rows and queries as tokens; and after it tmul with latents as rows and
 * scores as tokens, onto acc.  A block is K3_ATTEND absolute positions.
 */
#define K3_ATTEND 256
struct k3_softmax {
	float *score; /* [nq][n], 'ld' apart */
	size_t nq, n, ld;
	float scale;
	float *m, *sum; /* [nq] */
	float *acc;     /* [nq][nvalue], 'ldacc' apart */
	size_t nvalue, ldacc;
};
typedef void k3_softmax_fn(const struct k3_softmax *a);

struct k3_kern {
	k3_mul_fn *mul_f32;
	k3_mul_fn *mul_bf16;
	k3_mul_fn *mul_mxfp4;
	k3_mul_fn *tmul_f32;
	k3_mul_fn *tmul_bf16;
	k3_silu_fn *silu;
	k3_sigmoid_fn *sigmoid;
	k3_situ_fn *situ;
	k3_gate_fn *gate;
	k3_decay_fn *decay;
	k3_axpy_fn *axpy;
	k3_conv_fn *conv;
	k3_kda_fn *kda;
	k3_softmax_fn *softmax;
};

/* The features this machine has, as a mask of K3_CPU_*. */
unsigned k3_cpu_detect(void);

/* Fill 'kern' with the best variants that the features in 'cpu' allow. */
void k3_kern_init(struct k3_kern *kern, unsigned cpu);

/*
 * e to the power x, within 2 ulp; the same value that the kernels use.  For
 * softmaxes over a handful of values, where a kernel would be too much.
 */
float k3_exp(float x);

#endif
