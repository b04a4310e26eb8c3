/*
 * bench-slice.c - passes of a slice of K3, all of it in memory
 *
 * Each half-layer's time belongs to its kind.  FLOPs are 2 x weights x tokens;
 * the bytes of the weights that a pass uses, over the read rate, are the least
 * time that it could take.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/mem.h"
#include "common/model.h"
#include "tests/bench.h"

#define CHUNK   64
#define CONTEXT 128

#define K3_VOCAB 163840

/* Positions of a token near the start of a sequence and far into it. */
#define SHORT 1024
#define LONG  32768

enum kind {
	KDA,
	MLA,
	DENSE,
	MOE,
	HEAD,
	NKIND
};

/* 'k3': how many of them K3 has. */
static const struct {
	const char *name;
	unsigned k3;
} text[NKIND] = { { "KDA", 69 }, { "MLA", 24 }, { "dense ffn", 1 },
	{ "MoE", 92 }, { "head", 1 } };

/* All halves of a kind: of a pass. */
struct part {
	unsigned count;
	double weights, bytes; /* but for routed experts */
	struct bench_turn time;
};

struct slice {
	struct bench *b;
	struct k3_cfg cfg;
	struct k3_st *st;
	struct k3_plan plan;
	struct k3_model *model;
	struct k3_state state;
	float *logits;
	struct part part[NKIND];
	struct bench_turn pass;
	double trunk_wait, expert_wait, experts; /* sums over rounds */
	double read, fma; /* the machine's rates in the same rounds */
	struct bench_turn turn[4];
	struct bench_refs refs;
	double one; /* median seconds of a token */
};

static void
check(int ret, const struct k3_err *e)
{
	if (ret != 0)
		errx(e->code, "%s", e->msg);
}

static enum kind
kind_of(const struct k3_cfg *cfg, unsigned layer, unsigned half)
{
	if (half == 0)
		return cfg->mla[layer] ? MLA : KDA;
	return layer < cfg->ndense ? DENSE : MOE;
}

/* Weights of the halves, and of the head without the embedding. */
static void
weigh(struct slice *s)
{
	for (unsigned l = 0; l <= s->cfg.nlayer; l++) {
		uint8_t dtype[K3_NTENSOR];
		struct k3_shape shape;

		k3_st_dtypes(s->st, l, dtype);
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			struct part *p = &s->part[HEAD];
			double n;

			if (t == K3_T_EMBED || !k3_tensor_shape(&s->cfg, l,
						   (enum k3_tensor)t, &shape))
				continue;
			if (l < s->cfg.nlayer)
				p = &s->part[kind_of(&s->cfg, l,
				    t >= K3_T_FFN_RES_NORM)];
			n = (double)k3_shape_count(&shape);
			p->weights += n;
			p->bytes +=
			    n * (double)k3_dtype_size((enum k3_dtype)dtype[t]);
		}
	}
	for (unsigned l = 0; l < s->cfg.nlayer; l++)
		for (unsigned half = 0; half < 2; half++)
			s->part[kind_of(&s->cfg, l, half)].count++;
	s->part[HEAD].count = 1;
}

/* False, and said why, if it does not fit into memory. */
static bool
open_slice(struct slice *s, const char *dir)
{
	struct k3_plan_ask ask = { .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.ram = UINT64_MAX,
		.context = CONTEXT,
		.chunk = CHUNK,
		.sequences = 1,
		.threads = s->b->width[s->b->nwidth - 1] };
	struct k3_model_ask how = { .cpu = s->b->cpu };
	struct k3_err e;

	check(k3_cfg_load(&s->cfg, dir, &e), &e);
	s->st = k3_st_open(dir, &s->cfg, &e);
	check(s->st == NULL, &e);
	check(k3_plan_make(&s->plan, &s->cfg, s->st, &ask, &e), &e);
	if (s->plan.total > k3_mem_available()) {
		printf("SLICE  skipped: it takes %.1f GB of memory\n\n",
		    (double)s->plan.total / 1e9);
		return false;
	}
	s->logits = malloc(s->cfg.vocab * sizeof(*s->logits));
	s->model = k3_model_open(s->st, &s->plan, &how, &e);
	check(s->model == NULL || s->logits == NULL, &e);
	check(k3_state_init(&s->state, &s->cfg, CONTEXT, &e), &e);
	weigh(s);
	return true;
}

/* A pass of 'n' tokens, into round 'r'. */
static void
pass(struct slice *s, uint32_t n, unsigned r)
{
	struct k3_trunk_stats t = *k3_model_trunk(s->model);
	struct k3_experts_stats x = *k3_model_experts(s->model);
	struct k3_span span = { &s->state, NULL, n, 1, s->logits };
	uint32_t id[CHUNK];
	struct k3_err e;
	double start, now;
	int more = 1;

	for (uint32_t i = 0; i < n; i++)
		id[i] = (s->state.pos + i) * 7919 % 16000;
	span.ids = id;
	for (int k = 0; k < NKIND; k++)
		s->part[k].time.second[r] = 0;
	s->pass.second[r] = -k3_clock();
	check(k3_pass_begin(s->model, &span, 1, &e), &e);
	start = k3_clock();
	for (unsigned half = 0; more == 1; half++, start = now) {
		more = k3_pass_half(s->model, &e);
		now = k3_clock();
		s->part[kind_of(&s->cfg, half / 2, half % 2)].time.second[r] +=
		    now - start;
	}
	check(more, &e);
	check(k3_pass_end(s->model, &e), &e);
	now = k3_clock();
	s->part[HEAD].time.second[r] = now - start;
	s->pass.second[r] += now;
	s->trunk_wait += k3_model_trunk(s->model)->wait - t.wait;
	s->expert_wait += k3_model_experts(s->model)->wait - x.wait;
	s->experts += (double)(k3_model_experts(s->model)->demands - x.demands);
}

/* Bytes read and FLOPs of all halves of a kind, routed experts included. */
static double
bytes_of(const struct slice *s, int kind, unsigned rounds)
{
	double expert = (double)k3_cfg_expert_bytes(&s->cfg);

	return s->part[kind].bytes +
	       (kind == MOE ? s->experts / rounds * expert : 0);
}

static double
flops_of(const struct slice *s, int kind, uint32_t n)
{
	const struct part *p = &s->part[kind];
	double expert = 3.0 * s->cfg.moe * s->cfg.latent;
	double picked = kind == MOE ? s->cfg.topk * p->count * expert : 0;

	return 2 * (p->weights + picked) * (kind == HEAD ? 1 : n);
}

static void
by_kind(const struct slice *s, uint32_t n, unsigned rounds)
{
	double k3 = 0;

	for (int k = 0; k < NKIND; k++) {
		const struct part *p = &s->part[k];
		double second = p->time.median, each = second / p->count;
		double rate = bytes_of(s, k, rounds) / second;
		double flops = flops_of(s, k, n) / second;

		printf("  %-10s %2u %10.2f %5.0f%% %8.1f %5.0f%% %8.1f %5.0f%% "
		       "%5.0f%%\n",
		    text[k].name, p->count, each * 1e3,
		    100 * second / s->pass.median, rate / 1e9,
		    100 * rate / s->read, flops / 1e9, 100 * flops / s->fma,
		    100 * p->time.spread);
		k3 += each * text[k].k3 *
		      (k == HEAD ? K3_VOCAB / (double)s->cfg.vocab : 1);
	}
	if (n == 1)
		printf("  K3 would compute for %.2f s a token: 69 KDA, 24 MLA, "
		       "1 dense, 92 MoE, a head of %d\n",
		    k3, K3_VOCAB);
}

/* The whole pass, against what reads or FMAs alone would take. */
static void
targets(struct slice *s, uint32_t n, double bytes, double flops,
    unsigned rounds)
{
	unsigned threads = s->plan.ask.threads;

	if (n == 1)
		bench_target(s->b,
		    bench_of_read(&s->refs, threads, &s->pass, bytes, rounds),
		    0.70, false, "a token of the slice, of the read bandwidth");
	else if (n == CHUNK)
		bench_target(s->b,
		    bench_of_fma(&s->refs, threads, &s->pass, flops, rounds),
		    0.62, false, "%u tokens of the slice, of the FMA peak", n);
	else
		bench_target(s->b, s->pass.median / s->one, 3.5, true,
		    "%u tokens of the slice, times one token", n);
}

static void
totals(struct slice *s, uint32_t n, unsigned rounds)
{
	double second = s->pass.median, bytes = 0, flops = 0;

	for (int k = 0; k < NKIND; k++) {
		bytes += bytes_of(s, k, rounds);
		flops += flops_of(s, k, n);
	}
	printf("%u tokens: %.3f s, %.3f s a token (median of %u, best %.3f, "
	       "spread %.0f%%)\n",
	    n, second, second / n, rounds, s->pass.best, 100 * s->pass.spread);
	printf("  %.2f GB of weights at %.1f GB/s: at least %.3f s, ratio "
	       "%.2f; %.0f GFLOP: %.1f GFLOP/s, %.0f%% of FMA\n",
	    bytes / 1e9, s->read / 1e9, bytes / s->read,
	    second * s->read / bytes, flops / 1e9, flops / second / 1e9,
	    100 * flops / second / s->fma);
	printf("  trunk wait %.3f s, expert wait %.3f s, else compute; %.0f "
	       "experts\n",
	    s->trunk_wait / rounds, s->expert_wait / rounds,
	    s->experts / rounds);
	printf("  %-10s %2s %10s %6s %8s %6s %8s %6s %6s\n", "half", "n",
	    "ms each", "time", "GB/s", "read", "GFLOP/s", "FMA", "spread");
	s->one = n == 1 ? second : s->one;
	targets(s, n, bytes, flops, rounds);
}

static double
sum(const struct bench_turn *turn, unsigned n)
{
	double all = 0;

	for (unsigned i = 0; i < n; i++)
		all += turn->second[i];
	return all;
}

/* Passes of 'n' tokens: one to warm up, then 'rounds'. */
static void
measure(struct slice *s, uint32_t n, unsigned rounds)
{
	unsigned threads = s->plan.ask.threads, nref;

	nref = bench_refs(s->b, &s->refs, s->turn);
	bench_calibrate(s->b, s->turn, nref);
	for (unsigned r = 0; r <= rounds; r++) {
		if (n > 1)
			k3_state_reset(&s->state);
		if (r <= 1) {
			s->trunk_wait = s->expert_wait = s->experts = 0;
			bench_profile_reset();
		}
		bench_sample(s->turn, nref, r == 0 ? 0 : r - 1);
		pass(s, n, r == 0 ? 0 : r - 1);
	}
	for (unsigned i = 0; i < nref; i++)
		bench_median(&s->turn[i], rounds);
	s->read = bench_read(&s->refs, threads);
	s->fma = bench_fma(&s->refs, threads);
	bench_median(&s->pass, rounds);
	for (int k = 0; k < NKIND; k++)
		bench_median(&s->part[k].time, rounds);
	totals(s, n, rounds);
	by_kind(s, n, rounds);
	bench_profile_print(rounds, threads * sum(&s->pass, rounds));
}

/* A token at position 'pos' of a state of its own. */
static double
token_at(struct slice *s, struct k3_state *far, uint32_t pos)
{
	struct k3_state near = s->state;
	struct bench_turn was = s->pass;
	double second;

	far->pos = pos;
	s->state = *far;
	pass(s, 1, 0);
	second = s->pass.second[0];
	s->state = near;
	s->pass = was;
	return second;
}

/*
 * A token far into a long sequence against one near its start.  The latents
 * before it are made up: attention takes as long whatever they are.
 */
static void
long_context(struct slice *s)
{
	uint64_t n = k3_state_latent_bytes(&s->cfg, LONG + 1) / sizeof(float);
	struct bench_turn at[2] = { 0 };
	struct k3_state far;
	struct k3_err e;

	check(k3_state_init(&far, &s->cfg, LONG + 1, &e), &e);
	bench_random(far.latents, n, 11);
	token_at(s, &far, SHORT);
	for (unsigned r = 0; r < BENCH_ROUNDS; r++) {
		at[0].second[r] = token_at(s, &far, SHORT);
		at[1].second[r] = token_at(s, &far, LONG);
	}
	bench_median(&at[0], BENCH_ROUNDS);
	bench_median(&at[1], BENCH_ROUNDS);
	printf("a token at position %d: %.3f s; at %d: %.3f s\n", SHORT,
	    at[0].median, LONG, at[1].median);
	bench_target(s->b, bench_ratio(&at[1], &at[0], BENCH_ROUNDS), 1.6, true,
	    "a token at position %d, times one at %d", LONG, SHORT);
	k3_state_fini(&far);
}

void
bench_slice(struct bench *b)
{
	const char *dir = bench_find_slice(b, "SLICE");
	struct slice *s = calloc(1, sizeof(*s));
	unsigned rounds = b->quick ? 1 : BENCH_ROUNDS;
	double start = k3_clock();

	if (s == NULL)
		err(EX_OSERR, "cannot allocate a slice");
	s->b = b;
	if (dir != NULL && open_slice(s, dir)) {
		bench_profile(k3_model_kern(s->model));
		pass(s, CHUNK, 0);
		printf("SLICE  5 layers of K3's widths in %.1f GB of memory, "
		       "%u threads; read and first pass: %.1f s\n",
		    (double)s->plan.total / 1e9, b->width[b->nwidth - 1],
		    k3_clock() - start);
		measure(s, 1, BENCH_ROUNDS);
		measure(s, 8, rounds);
		measure(s, CHUNK, rounds);
		long_context(s);
		putchar('\n');
		k3_state_fini(&s->state);
	}
	k3_model_close(s->model);
	k3_st_close(s->st);
	free(s->logits);
	free(s);
}
