/*
 * bench-mul.c - products of stored weights, in K3's shapes
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "tests/bench.h"

/* As common/linear.c splits rows among threads. */
#define GRAIN 8

/* Scale bytes, for all matrices alike. */
#define SCALES ((size_t)1 << 20)

/* The definition is slow: it is timed on so many rows. */
#define SCALAR_ROWS 64

enum kind {
	BF16,
	F32,
	MXFP4,
	TMUL_BF16
};

struct shape {
	const char *name, *what;
	enum kind kind;
	size_t rows, n;
	size_t matrices; /* of a transposed product, one a head */
};

static const struct shape shapes[] = {
	{ "mul_bf16", "KDA q, k, v, g", BF16, 12288, 7168, 1 },
	{ "mul_f32", "norms, toys", F32, 3584, 7168, 1 },
	{ "mul_mxfp4", "expert w1, w3", MXFP4, 3072, 3584, 1 },
	{ "tmul_bf16", "MLA kv_b, 96 heads", TMUL_BF16, 128, 512, 96 },
};

#define TOKENS 64

/* A variant of a shape's kernel, on so many threads. */
struct entrant {
	const struct bench *b;
	const struct shape *shape;
	const uint8_t *scale;
	k3_mul_fn *mul;
	const char *level;
	unsigned threads;
	size_t rows, tokens; /* worked on */
	size_t at, last;     /* in the pool: the next and the last matrix */
	const float *x;
	float *y;
};

static size_t
row_bytes(const struct shape *s)
{
	switch (s->kind) {
	case F32:
		return 4 * s->n;
	case MXFP4:
		return s->n / 2;
	default:
		return 2 * s->n;
	}
}

static k3_mul_fn *
slot(const struct k3_kern *kern, enum kind kind)
{
	switch (kind) {
	case BF16:
		return kern->mul_bf16;
	case F32:
		return kern->mul_f32;
	case MXFP4:
		return kern->mul_mxfp4;
	default:
		return kern->tmul_bf16;
	}
}

/* Rows 'r' on of the last matrices; for a transposed product, matrix 'r'. */
static struct k3_mul
product(const struct entrant *e, size_t r, float *y)
{
	const struct shape *s = e->shape;
	bool t = s->kind == TMUL_BF16;
	struct k3_mul m = { .stride = row_bytes(s),
		.scale_stride = s->n / K3_MX_BLOCK,
		.rows = e->rows,
		.n = s->n,
		.x = e->x + (t ? r * s->rows : 0),
		.tokens = e->tokens,
		.ldx = t ? s->rows * s->matrices : s->n,
		.ldy = t ? s->n * s->matrices : e->rows,
		.y = y };

	m.w = e->b->pool + e->last + r * m.stride * (t ? s->rows : 1);
	m.scale = e->scale + r * m.scale_stride;
	return m;
}

static void
part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct entrant *e = arg;
	size_t n = e->shape->n;

	(void)thread;
	if (e->shape->kind == TMUL_BF16) {
		for (size_t i = begin; i < end; i++) {
			struct k3_mul m = product(e, i, e->y + i * n);

			for (size_t t = 0; t < m.tokens; t++)
				memset(m.y + t * m.ldy, 0, n * sizeof(*m.y));
			e->mul(&m);
		}
	} else {
		struct k3_mul m = product(e, begin, e->y + begin);

		m.rows = end - begin;
		e->mul(&m);
	}
}

static size_t
call_bytes(const struct entrant *e)
{
	const struct shape *s = e->shape;
	size_t scale = s->kind == MXFP4 ? s->n / K3_MX_BLOCK : 0;

	return e->rows * s->matrices * (row_bytes(s) + scale);
}

static void
call(void *arg)
{
	struct entrant *e = arg;
	const struct shape *s = e->shape;
	bool t = s->kind == TMUL_BF16;
	size_t bytes = s->matrices * s->rows * row_bytes(s);

	e->last = e->at;
	e->at += bytes;
	if (e->at + bytes > BENCH_POOL)
		e->at = 0;
	k3_par_run(bench_par(e->threads), t ? s->matrices : e->rows,
	    t ? 1 : GRAIN, part, e);
}

/*
 * Compare what the last call gave with the definition, on eight rows (for a
 * transposed product: one matrix) at the start, in the middle and at the end.
 */
static bool
equal(const struct entrant *e, k3_mul_fn *scalar)
{
	const struct shape *s = e->shape;
	bool t = s->kind == TMUL_BF16;
	size_t total = t ? s->matrices : e->rows, some = t ? 1 : GRAIN;
	size_t from[3] = { 0, total / 2, total - some };
	size_t width = t ? s->n : some, unit = t ? s->n : 1;
	float *want = malloc(e->tokens * width * sizeof(*want));
	bool same = true;

	if (want == NULL)
		err(EX_OSERR, "cannot allocate a result");
	for (int i = 0; i < 3; i++) {
		struct k3_mul m = product(e, from[i], want);

		m.rows = t ? m.rows : some;
		m.ldy = width;
		memset(want, 0, e->tokens * width * sizeof(*want));
		scalar(&m);
		for (size_t k = 0; k < e->tokens; k++)
			same = same &&
			       memcmp(want + k * width,
				   e->y + from[i] * unit +
				       k * (t ? s->n * s->matrices : e->rows),
				   width * sizeof(*want)) == 0;
	}
	free(want);
	return same;
}

static void
row(const struct bench_refs *refs, const struct entrant *e,
    const struct bench_turn *turn)
{
	const struct shape *s = e->shape;
	double rate = (double)call_bytes(e) / turn->median;
	double flops = 2.0 * (double)(e->rows * s->matrices * s->n) *
		       (double)e->tokens / turn->median;
	char size[32];

	snprintf(size, sizeof(size), "%zux%zu", e->rows, s->n);
	printf("%-10s %-18s %12s %6zu %-7s %3u %8.1f %5.0f%% %8.1f %5.0f%% "
	       "%5.0f%%\n",
	    s->name, s->what, size, e->tokens, e->level, e->threads, rate / 1e9,
	    100 * rate / bench_read(refs, e->threads), flops / 1e9,
	    100 * flops / bench_fma(refs, e->threads), 100 * turn->spread);
}

/* Of the best variant, on all threads; one token of MXFP4: on one thread. */
static void
targets(struct bench *b, const struct bench_refs *refs, const struct entrant *e,
    const struct bench_turn *turn, unsigned n)
{
	const struct shape *s = e->shape;
	const struct bench_turn *last = &turn[n - 1];
	unsigned threads = e[n - 1].threads;
	double flops = 2.0 * (double)(s->rows * s->n * e->tokens);

	if (e[n - 1].level == e[0].level && e->tokens == 1)
		return;
	if (s->kind == BF16 && e->tokens == 1)
		bench_target(b,
		    bench_of_read(refs, threads, last,
			(double)call_bytes(&e[n - 1]), BENCH_ROUNDS),
		    0.85, false, "bf16 rows, of the read bandwidth");
	if (s->kind == MXFP4 && e->tokens == 1)
		bench_target(b,
		    (double)(s->rows * row_bytes(s)) /
			turn[n - b->nwidth].median / 1e9,
		    7.5, false, "MXFP4 rows, GB/s of packed bytes a core");
	if ((s->kind == BF16 || s->kind == MXFP4) && e->tokens >= 16)
		bench_target(b,
		    bench_of_fma(refs, threads, last, flops, BENCH_ROUNDS),
		    s->kind == BF16 ? 0.75 : 0.60, false,
		    "%s products, %zu tokens, of the FMA peak",
		    s->kind == BF16 ? "bf16" : "MXFP4", e->tokens);
}

/* All variants at a shape and a number of tokens, the definition at one. */
static void
contest(struct bench *b, const struct entrant *proto)
{
	struct bench_turn turn[4 + 2 * BENCH_LEVELS] = { 0 };
	struct bench_level level[BENCH_LEVELS];
	struct entrant e[2 * BENCH_LEVELS];
	unsigned nlevel = bench_levels(b, level), n = 0, nref;
	struct bench_refs refs;
	k3_mul_fn *scalar = slot(&level[0].kern, proto->shape->kind);
	k3_mul_fn *seen = NULL;

	nref = bench_refs(b, &refs, turn);
	for (unsigned i = 0; i < nlevel; i++) {
		k3_mul_fn *mul = slot(&level[i].kern, proto->shape->kind);

		if (mul == seen || (i == 0 && proto->tokens > 1))
			continue;
		seen = mul;
		for (unsigned w = 0; w < (i == 0 ? 1 : b->nwidth); w++, n++) {
			e[n] = *proto;
			e[n].mul = mul;
			e[n].level = level[i].name;
			e[n].threads = b->width[w];
			if (i == 0 && proto->shape->kind != TMUL_BF16)
				e[n].rows = SCALAR_ROWS;
			turn[nref + n].fn = call;
			turn[nref + n].arg = &e[n];
			call(&e[n]);
			if (i > 0 && !equal(&e[n], scalar))
				errx(1, "%s: %s differs from the definition",
				    proto->shape->name, e[n].level);
		}
	}
	bench_turns(b, turn, nref + n);
	for (unsigned i = 0; i < n; i++)
		row(&refs, &e[i], &turn[nref + i]);
	targets(b, &refs, e, turn + nref, n);
}

void
bench_mul(struct bench *b)
{
	static const size_t counts[] = { 1, 2, 4, 8, 16, 64 };
	uint8_t *scale = malloc(SCALES);
	float *x = malloc(TOKENS * 96 * 128 * sizeof(*x));
	float *y = malloc(TOKENS * 96 * 512 * sizeof(*y));
	bool headed = false;

	if (scale == NULL || x == NULL || y == NULL)
		err(EX_OSERR, "cannot allocate activations");
	for (size_t i = 0; i < SCALES; i++)
		scale[i] = (uint8_t)(110 + i * 7 % 16);
	bench_random(x, TOKENS * 96 * 128, 1);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const struct shape *s = &shapes[i];

		if (!bench_wants(b, "kernels") && !bench_wants(b, s->name))
			continue;
		if (!headed)
			printf("PRODUCTS  %% of reads and FMAs on as many "
			       "threads in the same rounds\n%-10s %-18s %12s "
			       "%6s %-7s %3s %8s %6s %8s %6s %6s\n",
			    "kernel", "", "rows x n", "tokens", "level", "thr",
			    "GB/s", "read", "GFLOP/s", "FMA", "spread");
		headed = true;
		for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
			struct entrant e = { .b = b,
				.shape = s,
				.scale = scale,
				.rows = s->rows,
				.tokens = counts[k],
				.x = x,
				.y = y };

			if (b->quick && counts[k] != 1 && counts[k] != 64)
				continue;
			contest(b, &e);
		}
	}
	if (headed)
		putchar('\n');
	free(scale);
	free(x);
	free(y);
}
