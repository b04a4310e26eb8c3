/*
 * bench-step.c - tokens through KDA's state, and attention over latents
 *
 * As common/kda.c and common/mla.c call them: threads take heads.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "common/attend.h"
#include "common/mem.h"
#include "tests/bench.h"

#define HEADS  96
#define DIM    128
#define WIDTH  576
#define VALUES 512

#define STATE  ((size_t)HEADS * DIM * DIM) /* floats of a layer */
#define LAYERS 69 /* KDA layers of K3: 434 MB that a token goes through */
#define ROW    ((size_t)HEADS * DIM)

/* At most; the definition is timed on so many heads. */
#define TOKENS       64
#define POSITIONS    8192
#define SCALAR_HEADS 2

struct entrant {
	const struct bench_level *level;
	unsigned threads;
	bool kda;
	size_t tokens, positions;
	size_t heads;       /* worked on */
	size_t layer, last; /* the next state and the last */
	float *state;       /* [LAYERS][HEADS][DIM][DIM] */
	const float *x;     /* q, k, v, decay: [4][TOKENS][ROW]; queries */
	const float *kv;    /* [POSITIONS][WIDTH] */
	float *y;           /* [TOKENS][ROW]; [HEADS][tokens][VALUES] */
};

static void
kda_head(const struct entrant *e, size_t h, float *s, float *o)
{
	static const float beta[TOKENS] = { 0.5f };
	const float *x = e->x + h * DIM;
	struct k3_kda a = { .s = s,
		.q = x,
		.k = x + TOKENS * ROW,
		.v = x + 2 * TOKENS * ROW,
		.decay = x + 3 * TOKENS * ROW,
		.beta = beta,
		.o = o,
		.tokens = e->tokens,
		.ld = ROW,
		.ldbeta = 1,
		.dim = DIM };

	e->level->kern.kda(&a);
}

static void
kda_part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct entrant *e = arg;

	(void)thread;
	for (size_t h = begin; h < end; h++)
		kda_head(e, h, e->state + e->last * STATE + h * DIM * DIM,
		    e->y + h * DIM);
}

static void
kda_call(void *arg)
{
	struct entrant *e = arg;
	e->last = e->layer;
	e->layer = (e->layer + 1) % LAYERS;
	k3_par_run(bench_par(e->threads), e->heads, 1, kda_part, e);
}

/* 'heads' heads from 'h' on, of as many tokens as there are: [token][head]. */
static void
attend_heads(const struct entrant *e, size_t h, size_t heads, float *out)
{
	float score[K3_ATTEND_QUERIES * K3_ATTEND];
	float m[K3_ATTEND_QUERIES], sum[K3_ATTEND_QUERIES];
	struct k3_attend a = { .latents = e->kv,
		.width = WIDTH,
		.nvalue = VALUES,
		.scale = 0.07f,
		.pos = e->positions - e->tokens,
		.tokens = e->tokens,
		.heads = heads,
		.query = e->x + h * e->tokens * WIDTH,
		.out = out,
		.score = score,
		.m = m,
		.sum = sum };

	k3_attend(&e->level->kern, &a);
}

static void
attend_part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct entrant *e = arg;
	size_t most = K3_ATTEND_QUERIES / e->tokens;

	(void)thread;
	for (size_t h = begin, n; h < end; h += n) {
		n = end - h < most ? end - h : most;
		attend_heads(e, h, n, e->y + h * e->tokens * VALUES);
	}
}

static void
attend_call(void *arg)
{
	struct entrant *e = arg;
	size_t piece = (K3_ATTEND_PIECE + e->tokens - 1) / e->tokens;
	size_t share = e->heads / e->threads;

	if (piece > share)
		piece = share > 0 ? share : 1;
	k3_par_run(bench_par(e->threads), e->heads, piece, attend_part, e);
}

/* Each head, of a fresh state, as defined? */
static bool
kda_equal(const struct entrant *e, const struct entrant *d)
{
	static float s[2][DIM * DIM], o[2][TOKENS * ROW];

	for (size_t h = 0; h < HEADS; h++) {
		bench_random(s[0], DIM * DIM, (uint32_t)h);
		memcpy(s[1], s[0], sizeof(s[0]));
		kda_head(d, h, s[0], o[0] + h * DIM);
		kda_head(e, h, s[1], o[1] + h * DIM);
		if (memcmp(s[0], s[1], sizeof(s[0])) != 0)
			return false;
	}
	return memcmp(o[0], o[1], sizeof(o[0])) == 0;
}

/* As many heads together as are timed: their results as defined? */
static bool
attend_equal(const struct entrant *e, const struct entrant *d)
{
	static float o[2][K3_ATTEND_QUERIES * VALUES];
	size_t n = K3_ATTEND_QUERIES / e->tokens;

	attend_heads(d, 0, n, o[0]);
	attend_heads(e, 0, n, o[1]);
	return memcmp(o[0], o[1], sizeof(o[0])) == 0;
}

static bool
equal(const struct entrant *e, const struct bench_level *scalar)
{
	struct entrant d = *e;

	d.level = scalar;
	return e->kda ? kda_equal(e, &d) : attend_equal(e, &d);
}

static bool
same_kernels(const struct entrant *e, const struct k3_kern *a,
    const struct k3_kern *b)
{
	return e->kda ? a->kda == b->kda
		      : a->mul_f32 == b->mul_f32 && a->softmax == b->softmax &&
			    a->tmul_f32 == b->tmul_f32;
}

static double
flops_of(const struct entrant *e)
{
	double each = e->kda ? 7.0 * DIM * DIM
			     : 2.0 * (WIDTH + VALUES) * (double)e->positions;

	return each * (double)e->heads * (double)e->tokens;
}

static void
row(const struct bench_refs *refs, const struct entrant *e,
    const struct bench_turn *turn)
{
	double heads = (double)e->heads, n = (double)e->positions;
	/* The least traffic: a state comes and goes once, latents come once. */
	double bytes = e->kda ? heads * 2.0 * DIM * DIM * 4 : n * WIDTH * 4;
	double flops = flops_of(e) / turn->median;
	double rate = bytes / turn->median;

	printf("%-7s %-12s %6zu %6zu %5zu %-7s %3u %9.3f %8.1f %5.0f%% %8.1f "
	       "%5.0f%% %5.0f%%\n",
	    e->kda ? "kda" : "attend", e->kda ? "128x128" : "576, 512",
	    e->positions, e->tokens, e->heads, e->level->name, e->threads,
	    turn->median * 1e3, rate / 1e9,
	    100 * rate / bench_read(refs, e->threads), flops / 1e9,
	    100 * flops / bench_fma(refs, e->threads), 100 * turn->spread);
}

static void
contest(struct bench *b, const struct entrant *proto)
{
	struct bench_turn turn[4 + 2 * BENCH_LEVELS] = { 0 };
	struct bench_level level[BENCH_LEVELS];
	struct entrant e[2 * BENCH_LEVELS];
	unsigned nlevel = bench_levels(b, level), n = 0, nref;
	struct bench_refs refs;

	nref = bench_refs(b, &refs, turn);
	for (unsigned i = 0; i < nlevel; i++) {
		if (i > 0 &&
		    same_kernels(proto, &level[i].kern, &level[i - 1].kern))
			continue;
		for (unsigned w = 0; w < (i == 0 ? 1 : b->nwidth); w++, n++) {
			e[n] = *proto;
			e[n].level = &level[i];
			e[n].threads = b->width[w];
			e[n].heads = i == 0 ? SCALAR_HEADS : HEADS;
			turn[nref + n].fn = proto->kda ? kda_call : attend_call;
			turn[nref + n].arg = &e[n];
			turn[nref + n].fn(&e[n]);
			if (i > 0 && !equal(&e[n], &level[0]))
				errx(1, "%s: %s differs from the definition",
				    proto->kda ? "kda" : "attend",
				    e[n].level->name);
		}
	}
	bench_turns(b, turn, nref + n);
	for (unsigned i = 0; i < n; i++)
		row(&refs, &e[i], &turn[nref + i]);
	if (!proto->kda && e[n - 1].level != e[0].level)
		bench_target(b,
		    bench_of_fma(&refs, e[n - 1].threads, &turn[nref + n - 1],
			flops_of(&e[n - 1]), BENCH_ROUNDS),
		    0.5, false, "attention, %zu tokens at %zu, of the FMA peak",
		    proto->tokens, proto->positions);
}

/* q and k of length 1, as they come; decays below 1. */
static void
inputs(float *x)
{
	size_t part = TOKENS * ROW;

	bench_random(x, 4 * part, 2);
	for (size_t i = 0; i < 2 * part; i++)
		x[i] *= sqrtf(3.0f / DIM);
	for (size_t i = 3 * part; i < 4 * part; i++)
		x[i] = 0.95f + 0.05f * x[i];
}

static void *
allocate(size_t n)
{
	struct k3_err e;
	void *p = k3_mem_alloc(n * sizeof(float), "bench", &e);

	if (p == NULL)
		errx(e.code, "%s", e.msg);
	return p;
}

void
bench_step(struct bench *b)
{
	static const struct {
		bool kda, quick;
		size_t positions, tokens;
	} shapes[] = {
		{ true, true, 0, 1 },
		{ true, true, 0, 16 },
		{ true, false, 0, TOKENS },
		{ false, true, 1024, 1 },
		{ false, false, 1024, 16 },
		{ false, true, POSITIONS, 1 },
	};
	size_t nstate = LAYERS * STATE, nkv = (size_t)POSITIONS * WIDTH;
	size_t nx = 4 * TOKENS * ROW, ny = TOKENS * ROW;
	bool kda = bench_wants(b, "kernels") || bench_wants(b, "kda");
	bool att = bench_wants(b, "kernels") || bench_wants(b, "attend");
	float *x = allocate(nx), *kv = allocate(nkv);
	struct entrant e = { .x = x, .kv = kv, .y = allocate(ny) };

	_Static_assert(16 * VALUES <= TOKENS * DIM, "results of 16 tokens");
	e.state = allocate(nstate);
	inputs(x);
	bench_random(kv, nkv, 3);
	bench_random(e.state, kda ? nstate : 0, 4);
	if (kda || att)
		printf("STATE AND ATTENTION  GB/s: state read and written; "
		       "latents read once\n%-7s %-12s %6s %6s %5s %-7s %3s "
		       "%9s %8s %6s %8s %6s %6s\n",
		    "kernel", "", "posns", "tokens", "heads", "level", "thr",
		    "ms", "GB/s", "read", "GFLOP/s", "FMA", "spread");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		e.kda = shapes[i].kda;
		e.positions = shapes[i].positions;
		e.tokens = shapes[i].tokens;
		if ((e.kda ? kda : att) && (shapes[i].quick || !b->quick))
			contest(b, &e);
	}
	if (kda || att)
		putchar('\n');
	k3_mem_free(e.state, nstate * sizeof(float));
	k3_mem_free(kv, nkv * sizeof(float));
	k3_mem_free(x, nx * sizeof(float));
	k3_mem_free(e.y, ny * sizeof(float));
}
