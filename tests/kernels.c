/*
 * kernels.c - every slot against its contract, every variant against its slot
 *
 * The test names no variant.  It fills the kernel table once for each CPU
 * level, lowest first, and checks each function the first time that it shows
 * up, so a new variant is tested as soon as init.c installs it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/guard.h"
#include "tests/kernels-case.h"
#include "tests/tap.h"

static const struct {
	const char *name;
	unsigned cpu; /* cumulative */
} level[] = {
	{ "scalar", 0 },
#if defined(__x86_64__)
	{ "avx2", K3_CPU_AVX2 },
	{ "avx512", K3_CPU_AVX2 | K3_CPU_AVX512 },
#elif defined(__aarch64__)
	{ "neon", K3_CPU_NEON },
#endif
};

/* Hashes of what the slots compute, on every architecture.  A commit that
 * changes one changes the results of every model, and says so. */
static const uint64_t golden[NSLOT] = {
	[MUL_F32] = 0xb2c688a33c41c63e,
	[MUL_BF16] = 0x69c3e0477a7d4940,
	[MUL_MXFP4] = 0xed39abbecd3fb8cd,
	[TMUL_F32] = 0x14a49e9caab8b77f,
	[TMUL_BF16] = 0x810c7c0c40f81b63,
	[SILU] = 0x02664f083ebd5b7f,
	[SIGMOID] = 0x1fcca458de84bd3a,
	[SITU] = 0xd124e964a6ca7752,
	[GATE] = 0x49527ab88cd6a711,
	[DECAY] = 0xf89b383d58d47806,
	[AXPY] = 0xb85b1456d6d36836,
	[CONV] = 0xd0987ddc1677de8f,
	[KDA] = 0x04fbfdf1318504c4,
	[SOFTMAX] = 0x01a812d4f4ada1ab,
};

/* A table that hands its work on piece by piece, and the one that gets it. */
static struct k3_kern whole;

static void
by_row_and_token(const struct k3_mul *m, k3_mul_fn *mul)
{
	for (size_t r = 0; r < m->rows; r++)
		for (size_t t = 0; t < m->tokens; t++) {
			struct k3_mul one = *m;

			one.w += r * m->stride;
			one.scale += r * m->scale_stride;
			one.x += t * m->ldx;
			one.y += t * m->ldy + r;
			one.rows = one.tokens = 1;
			mul(&one);
		}
}

static void
by_column_and_token(const struct k3_mul *m, size_t size, k3_mul_fn *tmul)
{
	for (size_t j = 0; j < m->n; j++)
		for (size_t t = 0; t < m->tokens; t++) {
			struct k3_mul one = *m;

			one.w += j * size;
			one.x += t * m->ldx;
			one.y += t * m->ldy + j;
			one.n = one.tokens = 1;
			tmul(&one);
		}
}

static void
split_mul_f32(const struct k3_mul *m)
{
	by_row_and_token(m, whole.mul_f32);
}

static void
split_mul_bf16(const struct k3_mul *m)
{
	by_row_and_token(m, whole.mul_bf16);
}

static void
split_mul_mxfp4(const struct k3_mul *m)
{
	by_row_and_token(m, whole.mul_mxfp4);
}

static void
split_tmul_f32(const struct k3_mul *m)
{
	by_column_and_token(m, 4, whole.tmul_f32);
}

static void
split_tmul_bf16(const struct k3_mul *m)
{
	by_column_and_token(m, 2, whole.tmul_bf16);
}

static void
check_split(const char *name)
{
	struct k3_kern split = whole;

	split.mul_f32 = split_mul_f32;
	split.mul_bf16 = split_mul_bf16;
	split.mul_mxfp4 = split_mul_mxfp4;
	split.tmul_f32 = split_tmul_f32;
	split.tmul_bf16 = split_tmul_bf16;
	for (int s = MUL_F32; s <= TMUL_BF16; s++)
		ok(case_sweep(s, &split, &whole),
		    "%s, %s: all together as one by one", case_name[s], name);
}

/* Blocks in a row, the last one short, as the contract defines attention. */
static void
check_attention(const struct k3_kern *kern, const char *name)
{
	enum {
		NPOS = 600,
		WIDTH = 37,
		NVALUE = 29
	};
	static float q[WIDTH], kv[NPOS * WIDTH], want[NVALUE], acc[NVALUE];
	float m = -INFINITY, sum = 0, scale = 0.3f;
	float score[K3_ATTEND];
	struct k3_softmax s = { score, 1, 0, K3_ATTEND, scale, &m, &sum, acc,
		NVALUE, NVALUE };
	struct k3_mul mul = { .stride = WIDTH * sizeof(float), .tokens = 1 };

	case_seed(7);
	for (size_t i = 0; i < WIDTH; i++)
		q[i] = (float)(int32_t)case_rnd() * 0x1p-28f;
	for (size_t i = 0; i < NPOS * WIDTH; i++)
		kv[i] = (float)(int32_t)case_rnd() * 0x1p-31f;
	plain_attention(q, kv, NPOS, WIDTH, NVALUE, scale, want);
	memset(acc, 0, sizeof(acc));
	for (size_t p = 0; p < NPOS; p += s.n) {
		s.n = NPOS - p < K3_ATTEND ? NPOS - p : K3_ATTEND;
		mul.w = (const uint8_t *)(kv + p * WIDTH);
		mul.rows = s.n;
		mul.n = WIDTH;
		mul.x = q;
		mul.y = score;
		kern->mul_f32(&mul);
		kern->softmax(&s);
		mul.n = NVALUE;
		mul.x = score;
		mul.y = acc;
		kern->tmul_f32(&mul);
	}
	for (size_t j = 0; j < NVALUE; j++)
		acc[j] /= sum;
	ok(memcmp(acc, want, sizeof(acc)) == 0,
	    "softmax, %s: three blocks as one long one", name);
}

static void
check_golden(const struct k3_kern *kern, const char *name)
{
	for (int s = 0; s < NSLOT; s++) {
		uint64_t got = case_hash(s, kern);

		if (!ok(got == golden[s], "%s, %s: the golden value",
			case_name[s], name))
			diag("got 0x%016llx, want 0x%016llx",
			    (unsigned long long)got,
			    (unsigned long long)golden[s]);
	}
}

#define REAL_ROWS 32
#define REAL_N    3584

static bool
load(const char *path, uint8_t *to, size_t len)
{
	FILE *f = fopen(path, "rb");
	bool got = f != NULL && fread(to, 1, len, f) == len;

	if (f != NULL)
		fclose(f);
	return got;
}

/* Rows of the released weights: block by block times unit vectors. */
static void
check_real(const struct k3_kern *kern, const char *name)
{
	enum {
		N = REAL_N,
		BLOCK = K3_MX_BLOCK
	};
	uint8_t *w = guard_end(REAL_ROWS * N / 2);
	uint8_t *scale = guard_end(REAL_ROWS * N / BLOCK);
	float unit[BLOCK * BLOCK] = { 0 }, y[BLOCK * REAL_ROWS];
	bool finite = true, same = true;

	if (!load("../shared/data/real/mxfp4-rows.packed", w,
		REAL_ROWS * N / 2) ||
	    !load("../shared/data/real/mxfp4-rows.scale", scale,
		REAL_ROWS * N / BLOCK)) {
		skip("real MXFP4 rows", "no ../shared/data/real/mxfp4-rows.*");
		return;
	}
	for (size_t i = 0; i < BLOCK; i++)
		unit[i * BLOCK + i] = 1;
	for (size_t i = 0; i < REAL_ROWS * N / BLOCK; i++)
		finite = finite && scale[i] <= K3_MX_MAX;
	for (size_t b = 0; b < N / BLOCK; b++) {
		struct k3_mul m = { w + b * BLOCK / 2, scale + b, N / 2,
			N / BLOCK, REAL_ROWS, BLOCK, unit, BLOCK, BLOCK,
			REAL_ROWS, y };

		kern->mul_mxfp4(&m);
		for (size_t r = 0; r < REAL_ROWS; r++)
			for (size_t i = 0; i < BLOCK; i++) {
				unsigned byte = m.w[r * m.stride + i / 2];
				float got = y[i * m.ldy + r];
				float want = plain_mxfp4(i % 2 == 0 ? byte & 15
								    : byte >> 4,
				    m.scale[r * m.scale_stride]);

				finite = finite && isfinite(got);
				same = same && got == want;
			}
	}
	ok(finite, "mul_mxfp4, %s: real rows are finite", name);
	ok(same, "mul_mxfp4, %s: real rows hold their code's values", name);
}

/*
 * Code 8 is -0.  It shows where a sum is -0 as well, which takes negative
 * products that underflow: 16 of them, and then 16 times -0.
 */
static void
check_minus_zero(const struct k3_kern *kern, const char *name)
{
	uint8_t w[K3_MX_BLOCK / 2], scale = 0;
	float x[K3_MX_BLOCK], y = 1;
	struct k3_mul m = { w, &scale, sizeof(w), 1, 1, K3_MX_BLOCK, x, 1,
		K3_MX_BLOCK, 1, &y };

	memset(w, 0x99, sizeof(w) / 2);
	memset(w + sizeof(w) / 2, 0x88, sizeof(w) / 2);
	for (size_t i = 0; i < K3_MX_BLOCK; i++)
		x[i] = i < K3_MX_BLOCK / 2 ? 0x1p-40f : 1.0f;
	kern->mul_mxfp4(&m);
	if (!ok(y == 0 && signbit(y), "mul_mxfp4, %s: code 8 is -0", name))
		diag("got %a", y);
}

static void
check_level(const struct k3_kern *kern, const char *name)
{
	whole = *kern;
	check_split(name);
	check_attention(kern, name);
	check_minus_zero(kern, name);
	ok(case_denormals(kern), "all slots, %s: denormals count", name);
	check_golden(kern, name);
	check_real(kern, name);
}

int
main(void)
{
	unsigned have = k3_cpu_detect();
	struct k3_kern ref, last, kern;
	const char *best = level[0].name;

	k3_kern_init(&ref, 0);
	last = ref;
	for (int s = 0; s < NSLOT; s++)
		ok(case_sweep(s, &plain, &ref), "%s, scalar: as the contract",
		    case_name[s]);
	check_level(&ref, best);
	for (size_t i = 1; i < sizeof(level) / sizeof(level[0]); i++) {
		if ((level[i].cpu & ~have) != 0) {
			skip(level[i].name, "this CPU lacks it");
			continue;
		}
		k3_kern_init(&kern, level[i].cpu);
		for (int s = 0; s < NSLOT; s++)
			if (!case_same_fn(s, &kern, &last))
				ok(case_sweep(s, &ref, &kern),
				    "%s, %s: as the scalar one", case_name[s],
				    level[i].name);
		if (memcmp(&kern, &last, sizeof(kern)) != 0)
			best = level[i].name;
		last = kern;
	}
	if (best != level[0].name)
		check_level(&last, best);
	return tap_done();
}
