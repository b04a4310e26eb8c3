/*
 * routes.c - streams of routes, written and read
 *
 * What a reader refuses is in tests/golden/bad/routes-*.
 */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/routes.h"
#include "tests/tap.h"

#define REAL "../shared/data/real/"
#define HEAD "#k3-route 1 layers=4 experts=8 topk=2\n"

/* Of memory that the caller keeps. */
static FILE *
stream(char *text, size_t len)
{
	FILE *fp = fmemopen(text, len, "r");

	if (fp == NULL)
		abort();
	return fp;
}

static struct k3_routes *
open_text(FILE *fp)
{
	struct k3_err err;
	struct k3_routes *r = k3_routes_open(fp, "t", &err);

	if (r == NULL) {
		diag("%s", err.msg);
		abort();
	}
	return r;
}

static void
check_fields(void)
{
	static char text[] = HEAD "7\tp\t5\t9\t3\t1,6\t0.75,0.25\n"
				  "8\td\t5\t10\t2\t0,7\t-\n";
	FILE *fp = stream(text, sizeof(text) - 1);
	struct k3_routes *r = open_text(fp);
	const struct k3_routes_shape *s = k3_routes_shape(r);
	struct k3_route a;
	struct k3_err err;

	ok(s->layers == 4 && s->experts == 8 && s->topk == 2 &&
		k3_routes_line(r) == 1,
	    "the first line has the shape");
	ok(k3_routes_next(r, &a, &err) == 1 && a.pass == 7 && a.kind == 'p' &&
		a.sequence == 5 && a.position == 9 && a.layer == 3 &&
		a.n == 2 && a.expert[0] == 1 && a.expert[1] == 6 &&
		a.weight != NULL && a.weight[0] == 0.75f &&
		a.weight[1] == 0.25f && k3_routes_line(r) == 2,
	    "a line with weights");
	ok(k3_routes_next(r, &a, &err) == 1 && a.pass == 8 && a.kind == 'd' &&
		a.position == 10 && a.layer == 2 && a.expert[0] == 0 &&
		a.expert[1] == 7 && a.weight == NULL && k3_routes_line(r) == 3,
	    "one without");
	ok(k3_routes_pairs(r) == NULL, "text is no dump");
	ok(k3_routes_next(r, &a, &err) == 0 &&
		k3_routes_next(r, &a, &err) == 0 && k3_routes_line(r) == 3,
	    "the end, however often it is asked for");
	k3_routes_close(r);
	fclose(fp);
}

/* One weight through text and back, as the bits of both. */
static bool
weight_returns(float w)
{
	float two[2] = { w, 0.5f };
	uint32_t expert[2] = { 0, 1 };
	struct k3_route a = { 0, 0, 0, 'p', 0, 2, expert, two }, b;
	struct k3_cfg cfg = { .nlayer = 1, .experts = 2, .topk = 2 };
	struct k3_routes *r;
	struct k3_err err;
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	bool same;

	k3_routes_head(fp, &cfg, "t", &err);
	k3_routes_put(fp, &a, "t", &err);
	fclose(fp);
	fp = stream(text, len);
	r = open_text(fp);
	same = k3_routes_next(r, &b, &err) == 1 && b.weight != NULL &&
	       memcmp(&w, &b.weight[0], sizeof(w)) == 0;
	if (!same)
		diag("%s", text);
	k3_routes_close(r);
	fclose(fp);
	free(text);
	return same;
}

static void
check_weights(void)
{
	static const float some[] = { 0, -0.0f, 1, -1, 0.1f, FLT_MIN, FLT_MAX,
		-FLT_MAX, FLT_TRUE_MIN, FLT_EPSILON, 16777215, 1e22f, 1e-22f };
	uint64_t seed = 1;
	size_t bad = 0;

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		bad += !weight_returns(some[i]);
	ok(bad == 0, "weights at the limits return bit for bit");
	for (int i = 0; i < 20000; i++) {
		uint32_t bits;
		float w;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		bits = (uint32_t)(seed >> 32);
		/* Half of them as weights are, in [0, 1); half of any size. */
		if (i % 2 == 0)
			w = (float)(bits >> 8) * 0x1p-24f;
		else if ((bits >> 23 & 255) == 255)
			continue;
		else
			memcpy(&w, &bits, sizeof(w));
		bad += !weight_returns(w);
	}
	ok(bad == 0, "20000 drawn ones too");
}

/* Of what another program wrote, however many digits it has. */
static void
check_ties(void)
{
	/* Nearer to a half than a double tells. */
	static const char *const text[] = { "0.039793586358428",
		"0.584310919046402", "0.611912876367569", "0.856082409620285",
		"-0.048796521499753", "0.391507551074028" };
	static const size_t n = sizeof(text) / sizeof(text[0]);
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		char line[128];
		int len = snprintf(line, sizeof(line),
		    "#k3-route 1 layers=1 experts=1 topk=1\n"
		    "0\tp\t0\t0\t0\t0\t%s\n",
		    text[i]);
		FILE *fp = stream(line, (size_t)len);
		struct k3_routes *r = open_text(fp);
		struct k3_route a;
		struct k3_err err;

		if (k3_routes_next(r, &a, &err) != 1 || a.weight == NULL ||
		    a.weight[0] != strtof(text[i], NULL)) {
			diag("%s", text[i]);
			bad++;
		}
		k3_routes_close(r);
		fclose(fp);
	}
	ok(bad == 0, "weights are rounded once");
}

/* All lines, copied by the writer, into memory that the caller frees. */
static char *
copy(FILE *fp, const char *name, size_t *len)
{
	struct k3_routes *r = open_text(fp);
	const struct k3_routes_shape *s = k3_routes_shape(r);
	struct k3_cfg cfg = { .nlayer = s->layers,
		.experts = s->experts,
		.topk = s->topk };
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	struct k3_route a;
	struct k3_err err;
	int got;

	k3_routes_head(out, &cfg, name, &err);
	while ((got = k3_routes_next(r, &a, &err)) == 1)
		k3_routes_put(out, &a, name, &err);
	if (got != 0)
		diag("%s", err.msg);
	fclose(out);
	k3_routes_close(r);
	return text;
}

static bool
copies_itself(const char *path)
{
	FILE *fp = fopen(path, "r");
	size_t size, len;
	char *text, *again;
	bool same;

	if (fp == NULL)
		return false;
	again = copy(fp, path, &len);
	size = (size_t)ftell(fp);
	text = malloc(size + 1);
	rewind(fp);
	same = fread(text, 1, size + 1, fp) == size && size == len &&
	       memcmp(text, again, len) == 0;
	fclose(fp);
	free(text);
	free(again);
	return same;
}

/* Each place where a stream can be cut is noticed, unless lines are whole. */
static void
check_cuts(void)
{
	static char text[] = HEAD "0\tp\t0\t0\t1\t1,6\t0.75,0.25\n"
				  "1\td\t0\t1\t2\t0,7\t-\n";
	size_t bad = 0;

	for (size_t n = 1; n < sizeof(text); n++) {
		FILE *fp = stream(text, n);
		struct k3_err err = { .code = 0 };
		struct k3_routes *r = k3_routes_open(fp, "t", &err);
		struct k3_route a;
		int got = -1;

		while (r != NULL && (got = k3_routes_next(r, &a, &err)) == 1)
			;
		if (text[n - 1] == '\n' ? got != 0
					: got != -1 || err.code != EX_DATAERR) {
			diag("cut after %zu bytes: %d", n, got);
			bad++;
		}
		k3_routes_close(r);
		fclose(fp);
	}
	ok(bad == 0, "a stream that is cut short is refused, but at a line");
}

static void
check_read_error(void)
{
	FILE *fp = fopen("/", "r");
	struct k3_err err;

	ok(fp != NULL && k3_routes_open(fp, "t", &err) == NULL &&
		err.code == EX_IOERR &&
		strcmp(err.msg, "cannot read 't': Is a directory") == 0,
	    "a read that fails");
	if (fp != NULL)
		fclose(fp);
}

static void
put_pairs(FILE *fp, int layer, int first, int step)
{
	for (int i = 0; i < 16; i++) {
		int e = first + i * step;

		fwrite((char[]){ (char)layer, 0, 0, 0, (char)e, (char)(e >> 8),
			   0, 0 },
		    1, 8, fp);
	}
}

static bool
is(const struct k3_route *a, uint64_t pass, uint64_t position, uint32_t layer,
    uint32_t first)
{
	return a->pass == pass && a->kind == 'p' && a->sequence == 0 &&
	       a->position == position && a->layer == layer && a->n == 16 &&
	       a->expert[0] == first && a->expert[15] > first &&
	       a->weight == NULL;
}

static void
check_pairs(void)
{
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	const struct k3_routes_shape *s;
	struct k3_routes *r;
	struct k3_route a;
	struct k3_err err;

	put_pairs(fp, 0, 500, -1);
	put_pairs(fp, 92, 30, 2);
	put_pairs(fp, 92, 895, -3);
	put_pairs(fp, 1, 0, 1);
	fclose(fp);
	fp = stream(text, len);
	r = open_text(fp);
	s = k3_routes_shape(r);
	ok(s->layers == 93 && s->experts == 896 && s->topk == 16,
	    "a dump of pairs is known, and of K3");
	ok(k3_routes_next(r, &a, &err) == 1 && is(&a, 0, 0, 0, 485) &&
		k3_routes_pairs(r)[0] == 500 && k3_routes_pairs(r)[15] == 485,
	    "experts rise, and are there as they were asked for");
	ok(k3_routes_next(r, &a, &err) == 1 && is(&a, 0, 0, 92, 30) &&
		k3_routes_next(r, &a, &err) == 1 && is(&a, 0, 1, 92, 850),
	    "16 pairs are a token");
	ok(k3_routes_next(r, &a, &err) == 1 && is(&a, 1, 0, 1, 0),
	    "a pass begins where the layer falls");
	ok(k3_routes_next(r, &a, &err) == 0 && k3_routes_line(r) == 4,
	    "the end of a dump");
	k3_routes_close(r);
	fclose(fp);
	free(text);
}

/* 8 passes of 5 to 12 tokens in 92 layers. */
static void
check_real_pairs(void)
{
	FILE *fp = fopen(REAL "recompute-trace.bin", "rb");
	struct k3_routes *r;
	struct k3_route a;
	struct k3_err err;
	uint64_t lines[8] = { 0 };
	bool good = true;

	if (fp == NULL)
		return skip("a real dump", "no " REAL "recompute-trace.bin");
	r = open_text(fp);
	while (k3_routes_next(r, &a, &err) == 1 && a.pass < 8) {
		lines[a.pass]++;
		good = good && a.layer > 0 && a.position < 5 + a.pass;
	}
	for (unsigned i = 0; i < 8; i++)
		good = good && lines[i] == 92 * (5 + i);
	ok(good && k3_routes_line(r) == 6256, "a real dump");
	k3_routes_close(r);
	fclose(fp);
}

int
main(void)
{
	FILE *fp;

	check_fields();
	check_weights();
	check_ties();
	check_cuts();
	check_read_error();
	ok(copies_itself("tests/vectors/routes/demo.route"),
	    "the demo's routes, byte for byte");
	if ((fp = fopen(REAL "kimi-linear-decode.route", "r")) == NULL)
		skip("a real stream", "no " REAL "kimi-linear-decode.route");
	else
		ok(fclose(fp) == 0 &&
			copies_itself(REAL "kimi-linear-decode.route"),
		    "a real stream, byte for byte");
	check_pairs();
	check_real_pairs();
	return tap_done();
}
