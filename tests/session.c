/*
 * session.c - a pass left at any half-layer goes on elsewhere, bit for bit
 */
#include <stdio.h>
#include <unistd.h>

#include "common/cpu.h"
#include "common/pack.h"
#include "common/session.h"
#include "tests/fixture.h"
#include "tests/tap.h"

#define NID 14

/* IDs of each pass; the second is the one that is left. */
static const uint32_t cut[] = { 4, 5, 3, 1, 1 };
#define LEFT 1

static struct k3_err err;
static uint8_t print[K3_DIGEST128];

struct run {
	struct fixture f;
	uint32_t id[NID];
	float *logits; /* [NID][vocab] */
};

static bool
open_run(struct run *r, const char *dir, uint32_t chunk, unsigned threads,
    unsigned cpu, uint64_t ram)
{
	struct k3_model_ask how = { .cpu = cpu };
	struct k3_plan_ask ask = { .trunk = ram,
		.cache = ram,
		.ram = UINT64_MAX,
		.context = NID + chunk,
		.chunk = chunk,
		.sequences = 1,
		.threads = threads };
	struct fixture *f = &r->f;

	if (k3_cfg_load(&f->cfg, dir, &err) != 0 ||
	    (f->st = k3_st_open(dir, &f->cfg, &err)) == NULL ||
	    k3_plan_make(&f->plan, &f->cfg, f->st, &ask, &err) != 0 ||
	    (f->model = k3_model_open(f->st, &f->plan, &how, &err)) == NULL ||
	    k3_state_init(&f->state, &f->cfg, ask.context, &err) != 0)
		return false;
	r->logits = calloc((size_t)NID * f->cfg.vocab, sizeof(float));
	for (uint32_t i = 0; i < NID; i++)
		r->id[i] = (i * 11 + 3) % f->cfg.vocab;
	return r->logits != NULL;
}

static void
close_run(struct run *r)
{
	free(r->logits);
	fixture_close(&r->f);
}

static struct k3_span
span(struct run *r, size_t pass)
{
	uint32_t at = r->f.state.pos, n = cut[pass];
	struct k3_span span = { &r->f.state, r->id + at, n, n,
		r->logits + (size_t)at * r->f.cfg.vocab };

	return span;
}

static bool
passes(struct run *r, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		struct k3_span one = span(r, i);

		if (k3_forward(r->f.model, &one, 1, &err) != 0)
			return false;
	}
	return true;
}

/* Take the pass in work out of a run, as a file. */
static bool
save(struct run *r, const char *path)
{
	struct k3_held held;
	struct k3_session s = { .line = 7,
		.n = NID,
		.position = r->f.state.pos,
		.prompt = NID,
		.count = 9 };
	struct k3_session_parts parts = { &r->f.cfg, print, r->id, &r->f.state,
		&held, NULL };

	if (k3_pass_hold(r->f.model, &held, &err) != 0)
		return false;
	s.rows = (uint32_t)held.rows;
	s.half = held.half;
	return k3_session_save(path, &s, &parts, NULL, &err) == 0;
}

/* Run to 'half' half-layers of the pass that is left, and save. */
static bool
leave(struct run *r, unsigned half, const char *path)
{
	struct k3_span one;

	k3_state_reset(&r->f.state);
	if (!passes(r, 0, LEFT))
		return false;
	one = span(r, LEFT);
	if (k3_pass_begin(r->f.model, &one, 1, &err) != 0)
		return false;
	for (unsigned i = 0; i < half; i++)
		if (k3_pass_half(r->f.model, &err) == -1)
			return false;
	return save(r, path);
}

static bool
same_file(const char *a, const char *b)
{
	FILE *fp[2] = { fopen(a, "r"), fopen(b, "r") };
	int c = 0, d = 0;

	while (fp[0] != NULL && fp[1] != NULL && c == d && c != EOF) {
		c = getc(fp[0]);
		d = getc(fp[1]);
	}
	for (int i = 0; i < 2; i++)
		if (fp[i] != NULL)
			fclose(fp[i]);
	return c == EOF && d == EOF;
}

/*
 * Load into a run that may have anything in its state, save that again, and go
 * on to the end.
 */
static bool
go_on(struct run *r, const char *path, const char *again)
{
	struct k3_session s;
	struct k3_session_file *f =
	    k3_session_open(path, &r->f.cfg, print, &s, &err);
	struct k3_held held;
	struct k3_span one;
	int more = 0;
	bool good;

	if (f == NULL)
		return false;
	memset(r->f.state.kda, 0x55, k3_state_bytes(&r->f.cfg));
	memset(r->id, 0, sizeof(r->id));
	good = s.n == NID && s.line == 7 && s.count == 9 &&
	       k3_session_get_ids(f, r->id, &err) == 0 &&
	       k3_session_get_state(f, &r->f.state, &err) == 0;
	one = span(r, LEFT);
	if (good && s.half > 0)
		good = s.rows == one.n &&
		       k3_pass_resume(r->f.model, &one, 1, s.half, &held,
			   &err) == 0 &&
		       k3_session_get_pass(f, &held, &err) == 0;
	else if (good)
		good = k3_pass_begin(r->f.model, &one, 1, &err) == 0;
	k3_session_close(f);
	if (!good || !save(r, again))
		return false;
	while ((more = k3_pass_half(r->f.model, &err)) == 1)
		;
	return more == 0 && k3_pass_end(r->f.model, &err) == 0 &&
	       passes(r, LEFT + 1, sizeof(cut) / sizeof(cut[0]));
}

/* From one model at every half-layer into another one. */
static void
every_half(const char *toy, struct run *a, struct run *b, const char *dir)
{
	size_t vocab = a->f.cfg.vocab, from = cut[0];
	unsigned halves = 2 * a->f.cfg.nlayer, half;
	char path[64], again[64];
	bool same = true;

	snprintf(path, sizeof(path), "%s/a", dir);
	snprintf(again, sizeof(again), "%s/b", dir);
	err.msg[0] = '\0';
	for (half = 0; half <= halves; half++) {
		memset(b->logits, 0, NID * vocab * sizeof(float));
		if (!leave(a, half, path) || !go_on(b, path, again) ||
		    memcmp(a->logits + from * vocab, b->logits + from * vocab,
			(NID - from) * vocab * sizeof(float)) != 0)
			break;
		same = same && same_file(path, again);
	}
	if (!ok(half > halves, "%s: left at each half-layer, the same logits",
		toy))
		diag("at %u of %u: %s", half, halves, err.msg);
	ok(same, "%s: what is loaded is saved with the same bytes", toy);
	unlink(path);
	unlink(again);
}

static int
refuse_hidden(void *arg, unsigned layer, const float *x, const float *p,
    size_t rows, struct k3_err *e)
{
	const unsigned *at = arg;

	(void)x;
	(void)p;
	(void)rows;
	return layer == *at ? k3_fail(e, EX_IOERR, "the disk is full") : 0;
}

static int
refuse_routes(void *arg, unsigned layer, const struct k3_span *s, size_t n,
    const uint32_t *pick, const float *weight, struct k3_err *e)
{
	const unsigned *at = arg;

	(void)s;
	(void)n;
	(void)pick;
	(void)weight;
	return layer == *at ? k3_fail(e, EX_IOERR, "the disk is full") : 0;
}

/* A half-layer that fails before it has moved anything can be done again. */
static void
failed_half(const char *toy, struct run *a, struct run *b, const char *dir)
{
	unsigned at = a->f.cfg.nlayer - 1, half = 2 * a->f.cfg.nlayer;
	struct k3_watch early = { &at, NULL, refuse_routes };
	struct k3_watch late = { &at, refuse_hidden, NULL }, none = { 0 };
	size_t vocab = a->f.cfg.vocab, from = cut[0];
	char path[64], again[64];
	struct k3_held held;

	snprintf(path, sizeof(path), "%s/a", dir);
	snprintf(again, sizeof(again), "%s/b", dir);
	k3_state_reset(&a->f.state);
	passes(a, 0, LEFT);
	k3_model_watch(a->f.model, &early);
	ok(!passes(a, LEFT, LEFT + 1) &&
		k3_pass_hold(a->f.model, &held, &err) == 0 &&
		held.half == half - 1 && save(a, path) &&
		go_on(b, path, again) &&
		memcmp(a->logits + from * vocab, b->logits + from * vocab,
		    (NID - from) * vocab * sizeof(float)) == 0,
	    "%s: from a half-layer that failed early", toy);
	k3_state_reset(&a->f.state);
	k3_model_watch(a->f.model, &none);
	passes(a, 0, LEFT);
	k3_model_watch(a->f.model, &late);
	ok(!passes(a, LEFT, LEFT + 1) &&
		k3_pass_hold(a->f.model, &held, &err) == -1 &&
		err.code == EX_UNAVAILABLE,
	    "%s: not from one that failed late: %s", toy, err.msg);
	k3_model_watch(a->f.model, &none);
	unlink(path);
	unlink(again);
}

static void
check(const char *toy, const char *tmp, uint32_t chunk, unsigned cpu,
    uint64_t ram)
{
	static struct run a, b;
	char dir[512];

	snprintf(dir, sizeof(dir), "%s/%s", getenv("K3_TOYS"), toy);
	if (ok(open_run(&a, dir, NID, 2, k3_cpu_best(), UINT64_MAX) &&
		    open_run(&b, dir, chunk, 1, cpu, ram) &&
		    k3_fingerprint(&a.f.cfg, a.f.st, print, &err) == 0 &&
		    passes(&a, 0, sizeof(cut) / sizeof(cut[0])),
		"%s: without a break", toy)) {
		every_half(toy, &a, &b, tmp);
		failed_half(toy, &a, &b, tmp);
	} else {
		diag("%s", err.msg);
	}
	close_run(&a);
	close_run(&b);
}

int
main(void)
{
	char tmp[] = "/tmp/k3-session-XXXXXX";
	unsigned scalar;

	if (getenv("K3_TOYS") == NULL) {
		skip("sessions", "K3_TOYS is not set");
		return tap_done();
	}
	if (mkdtemp(tmp) == NULL || k3_cpu_parse("scalar", &scalar, &err) != 0)
		abort();
	check("tiny", tmp, 5, scalar, 0);
	check("thirteen", tmp, 6, scalar, 0);
	check("odd", tmp, 11, scalar, UINT64_MAX);
	check("wide", tmp, 5, k3_cpu_best(), 0);
	check("mixed", tmp, 7, k3_cpu_best(), (uint64_t)1 << 20);
	rmdir(tmp);
	return tap_done();
}
