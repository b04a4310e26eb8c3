/*
 * spans.c - sequences side by side, cut anyhow, have the logits they have alone
 */
#include <stdio.h>

#include "common/cpu.h"
#include "tests/fixture.h"
#include "tests/tap.h"

#define NSEQ 3
#define LONG 24

static struct k3_err err;

/* Where each sequence is cut into passes: tokens, 0 for none in that pass. */
static const uint32_t cut[4][NSEQ] = {
	{ 5, 1, 0 },
	{ 1, 9, 3 },
	{ 17, 0, 2 },
	{ 1, 14, 19 },
};

struct run {
	struct fixture f;
	struct k3_state state[NSEQ];
	uint32_t id[NSEQ][LONG];
	float *logits[NSEQ]; /* [LONG][vocab] */
};

static bool
open_run(struct run *r, const char *dir)
{
	if (!fixture_open(&r->f, dir, LONG, NSEQ * LONG, 2, k3_cpu_best(),
		&err))
		return false;
	for (uint32_t s = 0; s < NSEQ; s++) {
		r->logits[s] =
		    calloc((size_t)LONG * r->f.cfg.vocab, sizeof(float));
		if (r->logits[s] == NULL ||
		    k3_state_init(&r->state[s], &r->f.cfg, LONG, &err) != 0)
			return false;
		for (uint32_t i = 0; i < LONG; i++)
			r->id[s][i] = (i * (7 + s) + 3 * s) % r->f.cfg.vocab;
	}
	return true;
}

static void
close_run(struct run *r)
{
	for (int s = 0; s < NSEQ; s++) {
		free(r->logits[s]);
		k3_state_fini(&r->state[s]);
	}
	fixture_close(&r->f);
}

static struct k3_span
span(struct run *r, uint32_t s, uint32_t n)
{
	uint32_t at = r->state[s].pos;
	struct k3_span span = { &r->state[s], r->id[s] + at, n, n,
		r->logits[s] + (size_t)at * r->f.cfg.vocab };

	return span;
}

/* Each sequence in one piece, by itself. */
static bool
alone(struct run *r)
{
	for (uint32_t s = 0; s < NSEQ; s++) {
		struct k3_span one = span(r, s, LONG);

		if (k3_forward(r->f.model, &one, 1, &err) != 0)
			return false;
	}
	return true;
}

/* All together, as 'cut' says, in steps of half a layer. */
static bool
together(struct run *r)
{
	for (size_t pass = 0; pass < sizeof(cut) / sizeof(cut[0]); pass++) {
		struct k3_span spans[NSEQ];
		size_t n = 0;
		int more;

		for (uint32_t s = 0; s < NSEQ; s++)
			if (cut[pass][s] > 0)
				spans[n++] = span(r, s, cut[pass][s]);
		if (k3_pass_begin(r->f.model, spans, n, &err) != 0)
			return false;
		while ((more = k3_pass_half(r->f.model, &err)) == 1)
			;
		if (more != 0 || k3_pass_end(r->f.model, &err) != 0)
			return false;
	}
	return true;
}

static void
check(const char *toys, const char *toy)
{
	static struct run one, all;
	char dir[512];
	bool same = true;

	snprintf(dir, sizeof(dir), "%s/%s", toys, toy);
	if (!ok(open_run(&one, dir) && open_run(&all, dir) && alone(&one) &&
		    together(&all),
		"%s: three sequences alone and together", toy)) {
		diag("%s", err.msg);
		close_run(&one);
		close_run(&all);
		return;
	}
	for (int s = 0; s < NSEQ; s++)
		same = same &&
		       memcmp(one.logits[s], all.logits[s],
			   (size_t)LONG * one.f.cfg.vocab * sizeof(float)) == 0;
	ok(same, "%s: the same logits, bit for bit", toy);
	close_run(&one);
	close_run(&all);
}

/* What a pass refuses leaves an error, not an answer. */
static void
refusals(const char *toys)
{
	static struct run r;
	char dir[512];
	uint32_t big;
	struct k3_span bad;

	snprintf(dir, sizeof(dir), "%s/tiny", toys);
	if (!ok(open_run(&r, dir), "tiny opens"))
		return;
	big = r.f.cfg.vocab;
	bad = span(&r, 0, 1);
	bad.ids = &big;
	ok(k3_forward(r.f.model, &bad, 1, &err) == -1 && err.code == EX_DATAERR,
	    "an ID that is not in the vocabulary is refused");
	bad = span(&r, 0, LONG);
	r.state[0].pos = 1;
	ok(k3_forward(r.f.model, &bad, 1, &err) == -1 && err.code == EX_DATAERR,
	    "a token more than the context is refused");
	close_run(&r);
}

int
main(void)
{
	static const char *const toy[] = { "tiny", "thirteen", "odd", "wide",
		"mixed" };
	const char *toys = getenv("K3_TOYS");

	if (toys == NULL) {
		skip("spans", "K3_TOYS is not set");
		return tap_done();
	}
	for (size_t i = 0; i < sizeof(toy) / sizeof(toy[0]); i++)
		check(toys, toy[i]);
	refusals(toys);
	return tap_done();
}
