/*
 * bench-step.c - one token through KDA's state, and attention over latents
 *
 * As common/kda.c and common/mla.c call them: threads take heads.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "common/mem.h"
#include "tests/bench.h"

#define HEADS  96
#define DIM    128
#define WIDTH  576
#define VALUES 512

#define STATE  ((size_t)HEADS * DIM * DIM) /* floats of a layer */
#define LAYERS 69 /* KDA layers of K3: 434 MB that a token goes through */

/* Positions, at most; the definition is timed on so many heads. */
#define POSITIONS    8192
#define SCALAR_HEADS 2

struct entrant {
	const struct bench_level *level;
	unsigned threads;
	size_t n;           /* tokens of a head in a row; or positions */
	size_t heads;       /* worked on */
	size_t layer, last; /* the next state and the last */
	float *state;       /* [LAYERS][HEADS][DIM][DIM] */
	const float *x;     /* [5][HEADS * DIM]: q, k, v, decay; queries */
	const float *kv;    /* [POSITIONS][WIDTH] */
	float *y;           /* [HEADS][VALUES] */
};

static void
kda_head(const struct entrant *e, size_t h, float *s, float *o)
{
	size_t part = (size_t)HEADS * DIM;
	const float *x = e->x + h * DIM;
	float u[DIM];
	struct k3_kda a = { .s = s,
		.q = x,
		.k = x + part,
		.v = x + 2 * part,
		.decay = x + 3 * part,
		.o = o,
		.u = u,
		.beta = 0.5f,
		.dim = DIM };

	for (size_t t = 0; t < e->n; t++)
		e->level->kern.kda(&a);
}

static void
kda_part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct entrant *e = arg;

	(void)thread;
	for (size_t h = begin; h < end; h++)
		kda_head(e, h, e->state + e->last * STATE + h * DIM * DIM,
		    e->y + h * VALUES);
}

static void
kda_call(void *arg)
{
	struct entrant *e = arg;
	e->last = e->layer;
	e->layer = (e->layer + 1) % LAYERS;
	k3_par_run(bench_par(e->threads), e->heads, 1, kda_part, e);
}

static void
attend_head(const struct entrant *e, size_t h, float *acc)
{
	float m = -INFINITY, sum = 0;
	struct k3_attend a = { .q = e->x + h * WIDTH % (HEADS * DIM),
		.width = WIDTH,
		.nvalue = VALUES,
		.scale = 0.07f,
		.m = &m,
		.sum = &sum,
		.acc = acc };

	memset(acc, 0, VALUES * sizeof(*acc));
	for (size_t i = 0; i < e->n; i += K3_ATTEND) {
		a.kv = e->kv + i * WIDTH;
		a.n = e->n - i < K3_ATTEND ? e->n - i : K3_ATTEND;
		e->level->kern.attend(&a);
	}
	for (size_t i = 0; i < VALUES; i++)
		acc[i] /= sum;
}

static void
attend_part(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct entrant *e = arg;

	(void)thread;
	for (size_t h = begin; h < end; h++)
		attend_head(e, h, e->y + h * VALUES);
}

static void
attend_call(void *arg)
{
	struct entrant *e = arg;

	k3_par_run(bench_par(e->threads), e->heads, 1, attend_part, e);
}

/* Each head of a fresh state, or some heads' attention, as defined. */
static bool
equal(const struct entrant *e, const struct bench_level *scalar, bool kda)
{
	static float s[2][DIM * DIM], o[2][VALUES];
	struct entrant d = *e;

	d.level = scalar;
	for (size_t h = 0; h < HEADS; h += kda ? 1 : HEADS - 1) {
		if (kda) {
			bench_random(s[0], DIM * DIM, (uint32_t)h);
			memcpy(s[1], s[0], sizeof(s[0]));
			kda_head(&d, h, s[0], o[0]);
			kda_head(e, h, s[1], o[1]);
		} else {
			attend_head(&d, h, o[0]);
			memcpy(o[1], e->y + h * VALUES, sizeof(o[1]));
		}
		if (memcmp(s[0], s[1], sizeof(s[0])) != 0 ||
		    memcmp(o[0], o[1], sizeof(o[0])) != 0)
			return false;
	}
	return true;
}

static void
row(const struct bench_refs *refs, const struct entrant *e,
    const struct bench_turn *turn, bool kda)
{
	double heads = (double)e->heads, n = (double)e->n;
	/* The least traffic: a state comes and goes once, whatever n is. */
	double bytes = kda ? 2.0 * DIM * DIM * 4 : n * WIDTH * 4;
	double flops = kda ? 7.0 * DIM * DIM * n : 2.0 * (WIDTH + VALUES) * n;
	double rate = heads * bytes / turn->median;

	flops *= heads / turn->median;
	printf(
	    "%-7s %-22s %5zu %6zu %-7s %3u %9.3f %8.1f %5.0f%% %8.1f %5.0f%% "
	    "%5.0f%%\n",
	    kda ? "kda" : "attend",
	    kda ? "128x128, tokens" : "576, 512, positions", e->n, e->heads,
	    e->level->name, e->threads, turn->median * 1e3, rate / 1e9,
	    100 * rate / bench_read(refs, e->threads), flops / 1e9,
	    100 * flops / bench_fma(refs, e->threads), 100 * turn->spread);
}

static void
contest(struct bench *b, const struct entrant *proto, bool kda)
{
	struct bench_turn turn[4 + 2 * BENCH_LEVELS] = { 0 };
	struct bench_level level[BENCH_LEVELS];
	struct entrant e[2 * BENCH_LEVELS];
	unsigned nlevel = bench_levels(b, level), n = 0, nref;
	struct bench_refs refs;

	nref = bench_refs(b, &refs, turn);
	for (unsigned i = 0; i < nlevel; i++) {
		const struct k3_kern *k = &level[i].kern;
		const struct k3_kern *below = &level[i > 0 ? i - 1 : 0].kern;

		if (i > 0 &&
		    (kda ? k->kda == below->kda : k->attend == below->attend))
			continue;
		for (unsigned w = 0; w < (i == 0 ? 1 : b->nwidth); w++, n++) {
			e[n] = *proto;
			e[n].level = &level[i];
			e[n].threads = b->width[w];
			e[n].heads = i == 0 ? SCALAR_HEADS : HEADS;
			turn[nref + n].fn = kda ? kda_call : attend_call;
			turn[nref + n].arg = &e[n];
			turn[nref + n].fn(&e[n]);
			if (i > 0 && !equal(&e[n], &level[0], kda))
				errx(1, "%s: %s differs from the definition",
				    kda ? "kda" : "attend", e[n].level->name);
		}
	}
	bench_turns(b, turn, nref + n);
	for (unsigned i = 0; i < n; i++)
		row(&refs, &e[i], &turn[nref + i], kda);
}

/* q and k of length 1, as they come; decays below 1. */
static void
inputs(float *x)
{
	size_t part = (size_t)HEADS * DIM;

	bench_random(x, 5 * part, 2);
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
	size_t nstate = LAYERS * STATE, nkv = (size_t)POSITIONS * WIDTH;
	size_t nx = (size_t)5 * HEADS * DIM, ny = (size_t)HEADS * VALUES;
	bool kda = bench_wants(b, "kernels") || bench_wants(b, "kda");
	bool att = bench_wants(b, "kernels") || bench_wants(b, "attend");
	static const size_t tokens[] = { 1, 16 }, positions[] = { 1024, 8192 };
	float *x = allocate(nx), *kv = allocate(nkv);
	struct entrant e = { .x = x, .kv = kv, .y = allocate(ny) };

	e.state = allocate(nstate);
	inputs(x);
	bench_random(kv, nkv, 3);
	bench_random(e.state, kda ? nstate : 0, 4);
	if (kda || att)
		printf("STATE AND ATTENTION  GB/s: state read and written; "
		       "latents read by each head\n%-7s %-22s %5s %6s %-7s %3s "
		       "%9s %8s %6s %8s %6s %6s\n",
		    "kernel", "", "n", "heads", "level", "thr", "ms", "GB/s",
		    "read", "GFLOP/s", "FMA", "spread");
	for (int i = 0; i < 2; i++) {
		e.n = tokens[i];
		if (kda)
			contest(b, &e, true);
	}
	for (int i = 0; i < 2; i++) {
		e.n = positions[i];
		if (att && (i == 0 || !b->quick))
			contest(b, &e, false);
	}
	if (kda || att)
		putchar('\n');
	k3_mem_free(e.state, nstate * sizeof(float));
	k3_mem_free(kv, nkv * sizeof(float));
	k3_mem_free(x, nx * sizeof(float));
	k3_mem_free(e.y, ny * sizeof(float));
}
