/*
 * toy-weights.c - the values of a toy's tensors
 *
 * Integer arithmetic, and float operations that IEEE 754 defines to the last
 * bit (no libm but sqrt, which is one of them).  A normal is a sum of four
 * 16-bit uniforms.  Gains are chosen so that each sub-layer bends: situ and
 * the sigmoids saturate in some channels, means of squares come near the
 * epsilons, and the prefix stays of the order of 1 over any number of layers.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "tests/toy.h"

/* Of a sum of four 16-bit uniforms: its mean, and the inverse of its sigma. */
#define NORMAL_MEAN  131070
#define NORMAL_SIGMA 37837.2

/* Sigma of a packed weight over 2^(center - 127), from nibbles and scales. */
#define PACKED_SIGMA 3.65

enum draw {
	MATRIX, /* gain / sqrt(inputs), times a gain for the row */
	PLAIN,  /* sigma = gain */
	NORM,   /* about 1, never near 0 */
	TAPS,   /* of either sign, never near 0 */
	A_LOG,  /* -2 to 3 over the heads, then zeros */
	SPREAD, /* from - gain to + gain, then up or down by half */
};

struct recipe {
	enum draw draw;
	double gain;
};

/* clang-format off */
static const struct recipe recipes[K3_NTENSOR] = {
[K3_T_ATTN_RES_NORM] = { NORM, 0.25 },
[K3_T_ATTN_RES_PROJ] = { MATRIX, 0.8 },
[K3_T_ATTN_NORM]     = { NORM, 0.25 },
[K3_T_Q]             = { MATRIX, 4 },
[K3_T_K]             = { MATRIX, 4 },
[K3_T_V]             = { MATRIX, 2 },
[K3_T_Q_CONV]        = { TAPS, 0.5 },
[K3_T_K_CONV]        = { TAPS, 0.5 },
[K3_T_V_CONV]        = { TAPS, 0.5 },
[K3_T_F_A]           = { MATRIX, 1 },
[K3_T_F_B]           = { MATRIX, 1.5 },
[K3_T_A_LOG]         = { A_LOG, 0 },
[K3_T_DT_BIAS]       = { SPREAD, 3.5 },
[K3_T_BETA]          = { MATRIX, 1.5 },
[K3_T_O_NORM]        = { NORM, 0.25 },
[K3_T_Q_A]           = { MATRIX, 0.02 },  /* near its epsilon, 1e-6 */
[K3_T_Q_A_NORM]      = { NORM, 0.25 },
[K3_T_Q_B]           = { MATRIX, 1.3 },
[K3_T_KV_A]          = { MATRIX, 0.02 },
[K3_T_KV_A_NORM]     = { NORM, 0.25 },
[K3_T_KV_B]          = { MATRIX, 1.3 },
[K3_T_G]             = { MATRIX, 1.5 },
[K3_T_O]             = { MATRIX, 0.2 },
[K3_T_FFN_RES_NORM]  = { NORM, 0.25 },
[K3_T_FFN_RES_PROJ]  = { MATRIX, 0.8 },
[K3_T_FFN_NORM]      = { NORM, 0.25 },
[K3_T_DENSE_GATE]    = { MATRIX, 1 },
[K3_T_DENSE_UP]      = { MATRIX, 1 },
[K3_T_DENSE_DOWN]    = { MATRIX, 0.008 },
[K3_T_ROUTER]        = { MATRIX, 1.5 },
[K3_T_ROUTER_BIAS]   = { SPREAD, 0.1 },
[K3_T_LATENT_DOWN]   = { MATRIX, 1 },
[K3_T_SHARED_GATE]   = { MATRIX, 1 },
[K3_T_SHARED_UP]     = { MATRIX, 1 },
[K3_T_SHARED_DOWN]   = { MATRIX, 0.008 },
[K3_T_LATENT_NORM]   = { NORM, 0.25 },
[K3_T_LATENT_UP]     = { MATRIX, 0.1 },
[K3_T_EMBED]         = { PLAIN, 0.2 },
[K3_T_OUT_RES_NORM]  = { NORM, 0.25 },
[K3_T_OUT_RES_PROJ]  = { MATRIX, 0.8 },
[K3_T_OUT_NORM]      = { NORM, 0.25 },
[K3_T_LM_HEAD]       = { MATRIX, 3 },
};
/* clang-format on */

/* Gains of an expert's w1, w2, w3: both caps of situ are reached. */
static const double expert_gain[] = { 4, 0.01, 12 };

/* splitmix64's output function; 'key + n * step' is its n-th state. */
static uint64_t
mix(uint64_t key, uint64_t n)
{
	uint64_t z = key + (n + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t
toy_hash(uint64_t seed, const char *name)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (; *name != '\0'; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3;
	return mix(h, seed);
}

static float
normal(uint64_t key, uint64_t n)
{
	uint64_t z = mix(key, n);
	int32_t sum = (int32_t)((z & 0xffff) + (z >> 16 & 0xffff) +
				(z >> 32 & 0xffff) + (z >> 48));

	return (float)(sum - NORMAL_MEAN);
}

/* From 0 to 1, without 1. */
static double
uniform(uint64_t key, uint64_t n)
{
	return (double)(mix(key, n) >> 40) / (1 << 24);
}

/* Channels of the gates and of what they gate differ, so that all pairs meet:
 * far below the caps, near them, and far above. */
static double
row_gain(const struct toy *toy, const struct toy_tensor *t, uint64_t row)
{
	static const double gate[] = { 1, 2, 4, 8 }, up[] = { 1, 3, 10, 30 };

	switch (t->id.t) {
	case K3_T_DENSE_GATE:
	case K3_T_SHARED_GATE:
		return gate[row % 4];
	case K3_T_DENSE_UP:
	case K3_T_SHARED_UP:
		return up[row / 4 % 4];
	case K3_T_KV_A: /* the extra dims are not normalised */
		return row < toy->cfg.kv_lora ? 1 : 50;
	case K3_T_O: /* a mean of values is smaller than a normalised o */
		return toy->cfg.mla[t->id.layer] ? 2 : 1;
	default:
		return 1;
	}
}

static float
special(const struct toy *toy, const struct recipe *r, uint64_t key, uint64_t n)
{
	double u = uniform(key, n), heads = toy->cfg.kda_heads;

	switch (r->draw) {
	case NORM:
		return 1 + normal(key, n) * (float)(r->gain / NORMAL_SIGMA);
	case TAPS:
		u = u * 2 - 1;
		return (float)(u * r->gain + (u < 0 ? -0.1 : 0.1));
	case A_LOG:
		return n < toy->cfg.kda_heads
			   ? (float)(((double)n + u) * 5 / heads - 2)
			   : 0;
	default: /* SPREAD: the negative side is the longer one */
		return (float)((u * 2 - 1.4) * r->gain);
	}
}

static uint16_t
bf16(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof(u));
	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static void
trunk_row(const struct toy *toy, const struct toy_tensor *t, uint64_t key,
    uint64_t row, uint64_t cols, float *out)
{
	const struct recipe *r = &recipes[t->id.t];
	double sigma = r->gain * row_gain(toy, t, row) / NORMAL_SIGMA;
	float scale;

	if (r->draw > PLAIN) {
		for (uint64_t i = 0; i < cols; i++)
			out[i] = special(toy, r, key, row * cols + i);
		return;
	}
	scale = (float)(r->draw == PLAIN ? sigma : sigma / sqrt((double)cols));
	for (uint64_t i = 0; i < cols; i++)
		out[i] = normal(key, row * cols + i) * scale;
}

static void
trunk(const struct toy *toy, const struct toy_tensor *t, FILE *f)
{
	uint64_t cols = t->shape.dim[t->shape.ndim - 1];
	uint64_t rows = k3_shape_count(&t->shape) / cols;
	uint64_t key = toy_hash(toy->seed, t->name);
	float *x = malloc(cols * sizeof(*x));
	uint16_t *h = malloc(cols * sizeof(*h));

	if (x == NULL || h == NULL)
		err(EX_OSERR, "cannot make '%s'", t->name);
	for (uint64_t row = 0; row < rows; row++) {
		trunk_row(toy, t, key, row, cols, x);
		if (t->dtype[0] == 'F') {
			fwrite(x, sizeof(*x), cols, f);
			continue;
		}
		for (uint64_t i = 0; i < cols; i++)
			h[i] = bf16(x[i]);
		fwrite(h, sizeof(*h), cols, f);
	}
	free(h);
	free(x);
}

/* The scale byte with which a row of so many inputs has about this gain. */
static unsigned
center(double gain, uint64_t inputs)
{
	double sigma = PACKED_SIGMA * sqrt((double)inputs);
	unsigned e = 127;

	for (; sigma > gain * 1.5; sigma /= 2)
		e--;
	return e;
}

/*
 * The scale byte of a group.  One in 32 is 0, which is 2^-127 and not zero;
 * one in 32 is the largest, and one in 32 anything: these last two have
 * weights of zero when they would be large.
 */
static uint8_t
scale_byte(uint64_t key, uint64_t group, unsigned mid, bool *zero)
{
	static const int8_t near[16] = { -6, -5, -4, -3, -3, -2, -2, -1, -1, -1,
		0, 0, 0, 0, 1, 2 };
	uint64_t z = mix(key, group);
	unsigned e;

	*zero = false;
	switch (z % 32) {
	case 0:
		return 0;
	case 1:
		*zero = true;
		return 252;
	case 2:
		e = (unsigned)(z >> 32) % 253;
		*zero = e > mid + 2;
		return (uint8_t)e;
	default:
		return (uint8_t)((int)mid + near[z >> 60]);
	}
}

/* One row of packed weights, or of their scale bytes. */
static void
expert_row(const struct toy_tensor *t, const uint64_t key[2], unsigned mid,
    uint64_t row, uint8_t *out)
{
	bool scales = t->id.part % 2 != 0, zero;
	uint64_t cols = t->shape.dim[1], n = scales ? cols : cols / 16;

	for (uint64_t g = row * n; g < (row + 1) * n; g++) {
		uint8_t e = scale_byte(key[0], g, mid, &zero);
		uint64_t z[2] = { mix(key[1], 2 * g), mix(key[1], 2 * g + 1) };

		if (scales) {
			*out++ = e;
			continue;
		}
		if (zero) { /* of either sign */
			z[0] &= 0x8888888888888888;
			z[1] &= 0x8888888888888888;
		}
		memcpy(out, z, sizeof(z));
		out += sizeof(z);
	}
}

static void
expert(const struct toy *toy, const struct toy_tensor *t, FILE *f)
{
	unsigned base = t->id.part & ~1u; /* w1, w2 or w3 */
	char name[K3_NAME_MAX];
	uint8_t *row = malloc(t->shape.dim[1]);
	uint64_t key[2], inputs;
	unsigned mid;

	if (row == NULL)
		err(EX_OSERR, "cannot make '%s'", t->name);
	inputs = base == K3_P_W2 ? toy->cfg.moe : toy->cfg.latent;
	mid = center(expert_gain[base / 2], inputs);
	k3_part_name(t->id.layer, t->id.expert, (enum k3_part)base, name);
	key[0] = toy_hash(toy->seed + 1, name);
	key[1] = toy_hash(toy->seed, name);
	for (uint64_t i = 0; i < t->shape.dim[0]; i++) {
		expert_row(t, key, mid, i, row);
		fwrite(row, 1, t->shape.dim[1], f);
	}
	free(row);
}

void
toy_weights(const struct toy *toy, const struct toy_tensor *t, FILE *f)
{
	if (t->kind == TOY_TRUNK)
		trunk(toy, t, f);
	else if (t->kind == TOY_PART)
		expert(toy, t, f);
	else /* would be NaN in any float, if somebody read it */
		for (uint64_t i = 0; i < t->len; i++)
			fputc(0xff, f);
}
