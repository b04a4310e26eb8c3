/*
 * kernels-check.c - run one kernel table against another, over all sizes
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernels-case.h"
#include "tests/tap.h"

void
case_run(const struct kcase *c, const struct k3_kern *kern)
{
	float *const *p = c->p;
	size_t n = c->mul.n;

	switch (c->slot) {
	case MUL_F32:
		kern->mul_f32(&c->mul);
		break;
	case MUL_BF16:
		kern->mul_bf16(&c->mul);
		break;
	case MUL_MXFP4:
		kern->mul_mxfp4(&c->mul);
		break;
	case TMUL_F32:
		kern->tmul_f32(&c->mul);
		break;
	case TMUL_BF16:
		kern->tmul_bf16(&c->mul);
		break;
	case SILU:
		kern->silu(p[0], n);
		break;
	case SIGMOID:
		kern->sigmoid(p[0], n);
		break;
	case SITU:
		kern->situ(p[0], p[1], n, c->par[0], c->par[1]);
		break;
	case GATE:
		kern->gate(p[0], p[1], n);
		break;
	case DECAY:
		kern->decay(p[0], p[1], n, c->par[0], c->par[1]);
		break;
	case AXPY:
		kern->axpy(p[0], p[1], n, c->par[0]);
		break;
	case CONV:
		kern->conv(p[5], (const float *const *)p, p[4], n);
		break;
	case KDA:
		kern->kda(&c->kda);
		break;
	default:
		kern->softmax(&c->softmax);
	}
}

/* The outputs of a case, with their margins, in one row of bytes. */
struct image {
	char *data;
	size_t len, cap;
};

static void
save(struct image *to, const struct kcase *c)
{
	to->len = 0;
	for (unsigned i = 0; i < CASE_BUFS; i++) {
		size_t len = (size_t)(c->buf[i].hi - c->buf[i].lo);

		if ((c->out >> i & 1) == 0)
			continue;
		if (to->cap < to->len + len) {
			to->cap = to->len + len;
			to->data = realloc(to->data, to->cap);
			if (to->data == NULL)
				abort();
		}
		memcpy(to->data + to->len, c->buf[i].lo, len);
		to->len += len;
	}
}

static void
restore(const struct kcase *c, const struct image *from)
{
	const char *p = from->data;

	for (unsigned i = 0; i < CASE_BUFS; i++) {
		size_t len = (size_t)(c->buf[i].hi - c->buf[i].lo);

		if ((c->out >> i & 1) == 0)
			continue;
		memcpy(c->buf[i].lo, p, len);
		p += len;
	}
}

static bool
compare(const struct kcase *c, const struct image *got,
    const struct image *want)
{
	float g, w;

	if (memcmp(got->data, want->data, want->len) == 0)
		return true;
	for (size_t i = 0; i + sizeof(g) <= want->len; i += sizeof(g)) {
		memcpy(&g, got->data + i, sizeof(g));
		memcpy(&w, want->data + i, sizeof(w));
		if (memcmp(&g, &w, sizeof(g)) == 0 || (isnan(g) && isnan(w)))
			continue;
		diag("%s n=%zu rows=%zu tokens=%zu ldx=%zu ldy=%zu stride=%zu"
		     "%s: float %zu of the outputs: got %a, want %a",
		    case_name[c->slot], c->mul.n, c->mul.rows, c->mul.tokens,
		    c->mul.ldx, c->mul.ldy, c->mul.stride,
		    c->alias ? " in place" : "", i / sizeof(g), g, w);
		return false;
	}
	return true;
}

static bool
check(int slot, const struct k3_kern *ref, const struct k3_kern *kern, size_t n,
    size_t rows, size_t tokens)
{
	static struct image before, got, want;
	struct kcase c;

	case_make(&c, slot, n, rows, tokens);
	save(&before, &c);
	case_run(&c, ref);
	save(&want, &c);
	restore(&c, &before);
	case_run(&c, kern);
	save(&got, &c);
	return compare(&c, &got, &want);
}

/* Every MXFP4 weight: 253 scales of 32 codes times units, some at a time. */
static bool
check_weights(const struct k3_kern *ref, const struct k3_kern *kern)
{
	enum {
		N = K3_MX_BLOCK,
		SCALES = K3_MX_MAX + 1
	};
	static float x[N * N], want[N * SCALES], got[N * SCALES];
	uint8_t w[SCALES][N / 2], scale[SCALES];

	for (size_t i = 0; i < N; i++)
		x[i * N + i] = 1;
	for (unsigned e = 0; e < SCALES; e++) {
		scale[e] = (uint8_t)e;
		for (unsigned i = 0; i < N / 2; i++)
			w[e][i] = (uint8_t)(i % 8 * 0x22 + 0x10);
	}
	for (size_t some = 1; some <= N; some += some < 8 ? 1 : N - 8)
		for (size_t t = 0; t < N; t += some) {
			struct k3_mul m = { w[0], scale, N / 2, 1, SCALES, N,
				x + t * N, some, N, SCALES, want };

			m.tokens = some < N - t ? some : N - t;
			ref->mul_mxfp4(&m);
			m.y = got;
			kern->mul_mxfp4(&m);
			if (memcmp(want, got,
				m.tokens * SCALES * sizeof(*got)) == 0)
				continue;
			diag("a weight differs, %zu tokens at a time", some);
			return false;
		}
	return true;
}

/*
 * To both sides of where blocks of variants begin and end: elements of 1024 or
 * less, rows of 24 to 96, tokens of 4 to 16; and a row of the real model.
 */
static bool
sweep_blocks(int slot, const struct k3_kern *ref, const struct k3_kern *kern)
{
	static const struct {
		size_t n, rows, tokens;
	} edge[] = {
		{ 1023, 48, 16 },
		{ 1024, 49, 17 },
		{ 1025, 97, 1 },
		{ 1039, 47, 33 },
		{ 2048, 25, 8 },
		{ 2049, 7, 7 },
		{ 2100, 96, 2 },
		{ 7168, 2, 3 },
		{ 7168, 50, 17 },
		{ 16, 1024, 16 },
		{ 31, 1025, 17 },
		{ 33, 2100, 5 },
		{ 65, 513, 4 },
		{ 129, 257, 1 },
		{ 576, 256, 9 },
	};
	size_t unit = slot == MUL_MXFP4 ? K3_MX_BLOCK : 1;

	for (size_t i = 0; i < sizeof(edge) / sizeof(edge[0]); i++)
		if (!check(slot, ref, kern,
			(edge[i].n + unit - 1) / unit * unit, edge[i].rows,
			edge[i].tokens))
			return false;
	return true;
}

/* Small sizes with all counts of rows and tokens, the others with some; and
 * some that reach beyond the blocks that variants work in. */
static bool
sweep_mul(int slot, const struct k3_kern *ref, const struct k3_kern *kern)
{
	static const size_t large[] = { 255, 1000, 1023, 1024 };
	size_t unit = slot == MUL_MXFP4 ? K3_MX_BLOCK : 1;
	size_t all = slot == MUL_MXFP4 ? 4 : 35, n = 0;

	if (slot == MUL_MXFP4 && !check_weights(ref, kern))
		return false;
	for (; n <= all; n++)
		for (size_t rt = 0; rt < 100; rt++)
			if (!check(slot, ref, kern, n * unit, rt / 10, rt % 10))
				return false;
	for (; n <= 121 / (unit == 1 ? 1 : 8); n++)
		for (size_t k = 0; k < 8; k++)
			if (!check(slot, ref, kern, n * unit, case_rnd() % 10,
				case_rnd() % 10))
				return false;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			if (!check(slot, ref, kern,
				(large[i] + unit / 2) / unit * unit,
				1 + case_rnd() % 9, 1 + case_rnd() % 9))
				return false;
	for (size_t k = 0; k < 16; k++)
		if (!check(slot, ref, kern,
			case_rnd() % (k < 12 ? 200 : 2400) / unit * unit,
			1 + case_rnd() % 106, 1 + case_rnd() % 40))
			return false;
	return sweep_blocks(slot, ref, kern);
}

static bool
sweep_kda(const struct k3_kern *ref, const struct k3_kern *kern)
{
	for (size_t n = 0; n <= 72; n++)
		for (size_t tokens = 0; tokens < 6; tokens++)
			if (!check(KDA, ref, kern, n, 0, tokens))
				return false;
	for (size_t n = 120; n <= 136; n++)
		if (!check(KDA, ref, kern, n, 0, 1) ||
		    !check(KDA, ref, kern, n, 0, case_rnd() % 9))
			return false;
	return check(KDA, ref, kern, 128, 0, 33);
}

static bool
sweep_softmax(const struct k3_kern *ref, const struct k3_kern *kern)
{
	for (size_t n = 0; n <= K3_ATTEND; n += n < 80 ? 1 : 11)
		for (size_t nq = 0; nq < 10; nq++)
			if (!check(SOFTMAX, ref, kern, case_rnd() % 40, n, nq))
				return false;
	for (size_t nvalue = 0; nvalue <= 121; nvalue++)
		for (size_t k = 0; k < 4; k++)
			if (!check(SOFTMAX, ref, kern, nvalue, case_rnd() % 40,
				case_rnd() % 10))
				return false;
	for (size_t nq = 1; nq < 70; nq += 17)
		if (!check(SOFTMAX, ref, kern, 512, K3_ATTEND, nq))
			return false;
	return true;
}

bool
case_sweep(int slot, const struct k3_kern *ref, const struct k3_kern *kern)
{

	case_seed((uint64_t)slot);
	if (slot <= TMUL_BF16)
		return sweep_mul(slot, ref, kern);
	if (slot == KDA)
		return sweep_kda(ref, kern);
	if (slot == SOFTMAX)
		return sweep_softmax(ref, kern);
	for (size_t n = 0; n <= 121; n++)
		for (size_t k = 0; k < 6; k++)
			if (!check(slot, ref, kern, n, 0, 0))
				return false;
	for (size_t k = 0; k < 6; k++)
		if (!check(slot, ref, kern, 127 + k % 2, 0, 0) ||
		    !check(slot, ref, kern, 1000 + k, 0, 0))
			return false;
	return true;
}

/* FNV-1a, over the floats' bytes from the lowest. */
uint64_t
case_hash(int slot, const struct k3_kern *kern)
{
	uint64_t h = 0xcbf29ce484222325u;
	struct kcase c;

	case_seed(1000 + (uint64_t)slot);
	for (size_t k = 0; k < 40; k++) {
		struct image out = { 0 };
		size_t n = slot == MUL_MXFP4            ? k % 7 * K3_MX_BLOCK
			   : slot >= SILU && slot < KDA ? k * 40
							: k * 3;

		case_make(&c, slot, n, 1 + k % 5, 1 + k % 4);
		case_run(&c, kern);
		save(&out, &c);
		for (size_t i = 0; i + 4 <= out.len; i += 4) {
			uint32_t u;
			float f;

			memcpy(&f, out.data + i, 4);
			memcpy(&u, out.data + i, 4);
			u = isnan(f) ? 0x7fc00000u : u;
			for (int b = 0; b < 32; b += 8) {
				h ^= u >> b & 255;
				h *= 0x100000001b3u;
			}
		}
		free(out.data);
	}
	return h;
}

bool
case_same_fn(int slot, const struct k3_kern *a, const struct k3_kern *b)
{
	size_t size = sizeof(k3_mul_fn *), at = (size_t)slot * size;

	return memcmp((const char *)a + at, (const char *)b + at, size) == 0;
}
