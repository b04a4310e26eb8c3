/*
 * hidden.c - dumps of hidden states: what is guessed, what is refused
 *
 * That a dump has the routes of the run that wrote it is a case of tests/cli.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cpu.h"
#include "common/hidden.h"
#include "common/layer.h"
#include "common/pack.h"
#include "tests/tap.h"

#define ROWS 11

static struct k3_err err;
static struct k3_cfg cfg;
static struct k3_st *st;
static uint8_t print[K3_DIGEST128];
static char dir[] = "/tmp/k3-hidden-XXXXXX";

/* How a file differs from what it should be. */
struct change {
	const char *why; /* what the message says */
	enum k3_layer_kind kind;
	int layer;        /* added */
	bool foreign;     /* another fingerprint */
	const char *name; /* of x */
	enum k3_dtype dtype;
	bool fixed;      /* x does not grow */
	int width, rows; /* added */
	float x;         /* the last number; 0: as it comes */
	long flip, cut;  /* byte that is other; bytes at the end that lack */
	bool missing;
};

static const char *
path(unsigned layer)
{
	static char buf[128];
	char name[K3_PACK_NAME];

	k3_pack_name(&cfg, layer, name);
	snprintf(buf, sizeof(buf), "%s/%s", dir, name);
	return buf;
}

/* A number of layer 'of', anything but regular. */
static float
value(unsigned of, size_t i)
{
	uint32_t h = (uint32_t)(i + 1) * 2654435761u ^ of * 40503u;

	h ^= h >> 15;
	h *= 2246822519u;
	return (float)(h >> 8) / 8388608 - 1;
}

/* The file of 'layer', with the x of layer 'of'. */
static void
dump(unsigned layer, unsigned of, const struct change *c)
{
	size_t width = cfg.hidden + (size_t)c->width;
	size_t rows = ROWS + (size_t)c->rows, n = rows * width;
	float *x = calloc(n, sizeof(*x));
	struct k3_layer_tensor t = { .dtype = c->dtype,
		.grows = !c->fixed,
		.ndim = 2,
		.dim = { c->fixed ? rows : 0, width } };
	struct k3_layer l = { .kind = c->kind > 0 ? c->kind : K3_LAYER_HIDDEN,
		.layer = layer + (unsigned)c->layer,
		.ntensor = 1,
		.tensor = &t,
		.block_rows = c->fixed ? 0 : 3 };
	FILE *fp = fopen(path(layer), "w+");
	struct k3_layer_writer *w;
	const void *row = x;

	if (x == NULL || fp == NULL)
		abort();
	strcpy(t.name, c->name != NULL ? c->name : "x");
	memcpy(l.fingerprint, print, K3_DIGEST128);
	l.fingerprint[3] ^= c->foreign;
	for (size_t i = 0; i < n; i++)
		x[i] = value(of, i);
	if (c->x != 0)
		x[n - 1] = c->x;
	w = k3_layer_begin(&l, fp, "dump", &err);
	if (w == NULL ||
	    (c->fixed ? k3_layer_put(w, x, n * sizeof(*x), &err)
		      : k3_layer_put_rows(w, &row, rows, &err)) != 0 ||
	    k3_layer_end(w, &err) != 0 || fflush(fp) != 0) {
		diag("%s", err.msg);
		abort();
	}
	k3_layer_writer_close(w);
	if (c->flip > 0) {
		fseek(fp, c->flip, SEEK_SET);
		putc(0x55, fp);
		fflush(fp);
	}
	if (c->cut > 0 && ftruncate(fileno(fp), ftell(fp) - c->cut) != 0)
		abort();
	fclose(fp);
	free(x);
	if (c->missing)
		unlink(path(layer));
}

/* A good dump, with the x of the layer 'back' before in each file. */
static void
dump_all(unsigned back)
{
	static const struct change none;

	for (unsigned i = 0; i < cfg.nlayer; i++)
		dump(i, i - back, &none);
}

/* All picks, [layer - ndense][row][wide]; how many rows came, or -1. */
static int
picks(uint32_t lookahead, unsigned threads, uint32_t *to)
{
	struct k3_hidden_ask ask = { dir, k3_cpu_best(), threads, lookahead };
	uint32_t wide = lookahead > 0 ? lookahead : cfg.topk;
	struct k3_hidden *h = k3_hidden_open(&cfg, st, &ask, &err);
	uint64_t all = h != NULL ? k3_hidden_bytes(h) : 0, bytes = 0;
	struct k3_hidden_rows r;
	int got = -1, rows = 0;

	while (h != NULL && (got = k3_hidden_next(h, &r, &err)) == 1) {
		size_t at = (r.layer - cfg.ndense) * (size_t)ROWS + r.first;

		if (r.n > 0)
			memcpy(to + at * wide, r.pick,
			    r.n * wide * sizeof(*to));
		rows += (int)r.n;
		bytes += r.bytes;
	}
	k3_hidden_close(h);
	if (got == 0 && bytes != 2 * all)
		return -2;
	return got == 0 ? rows : -1;
}

static void
guesses(const char *toy)
{
	size_t moe = cfg.nlayer - cfg.ndense, k = cfg.topk;
	size_t most = moe * ROWS * cfg.experts;
	uint32_t *guess = calloc(most, sizeof(*guess));
	uint32_t *fewer = calloc(most, sizeof(*fewer));
	uint32_t *want = calloc(most, sizeof(*want));
	int rows = (int)(moe * ROWS);
	bool in = true;

	if (guess == NULL || fewer == NULL || want == NULL)
		abort();
	dump_all(1);
	ok(picks(0, 2, want) == rows, "%s: each row of each layer is routed",
	    toy);
	dump_all(0);
	ok(picks(cfg.topk, 1, guess) == rows - ROWS &&
		memcmp(guess + ROWS * k, want + ROWS * k,
		    (moe - 1) * ROWS * k * sizeof(*want)) == 0,
	    "%s: a guess is what the next layer would pick for this x", toy);
	picks(1, 1, fewer);
	for (size_t i = ROWS; i < moe * ROWS; i++) {
		bool found = false;

		for (size_t j = 0; j < k; j++)
			found = found || guess[i * k + j] == fewer[i];
		in = in && found;
	}
	ok(in, "%s: fewer guesses are the likeliest of more", toy);
	in = picks(cfg.experts, 1, guess) == rows - ROWS;
	for (size_t i = ROWS * cfg.experts; i < most; i++)
		in = in && guess[i] == i % cfg.experts;
	ok(in, "%s: as many as there are are all of them, rising", toy);
	ok(picks(cfg.experts + 1, 1, guess) == -1 && err.code == EX_USAGE,
	    "%s: and one more is refused", toy);
	free(guess);
	free(fewer);
	free(want);
}

static void
refusals(void)
{
	static const struct change bad[] = {
		{ .why = "kind 1 (trunk)", .kind = K3_LAYER_TRUNK },
		{ .why = "layer 3 instead of 2", .layer = 1 },
		{ .why = "another model", .foreign = true },
		{ .why = "no tensor x", .name = "p" },
		{ .why = "no tensor x", .dtype = K3_U32 },
		{ .why = "no tensor x", .fixed = true },
		{ .why = "no tensor x", .width = 1 },
		{ .why = "no tensor x", .width = -1 },
		{ .why = "10 rows, but layer 1 has 11", .rows = -1 },
		{ .why = "12 rows, but layer 1 has 11", .rows = 1 },
		{ .why = "rows are more than a sequence's", .rows = 4000 },
		{ .why = "digest is", .flip = 4096 + 64 + 5 },
		{ .why = "no trailer at its end", .cut = 1 },
		{ .why = "row 10 has a number that is not finite",
		    .x = (float)(1e300 * 1e10) },
		{ .why = "No such file", .missing = true },
	};
	uint32_t *to = calloc((size_t)cfg.nlayer * ROWS * cfg.topk, 4);

	dump_all(0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const struct change *c = &bad[i];
		bool named;

		dump(2, 2, c);
		memset(&err, 0, sizeof(err));
		named = picks(0, 1, to) == -1 &&
			err.code == (c->missing ? EX_NOINPUT : EX_DATAERR) &&
			strstr(err.msg, path(2)) != NULL &&
			strstr(err.msg, c->why) != NULL;
		if (!ok(named, "refused: %s", c->why))
			diag("%s", err.msg);
	}
	dump(2, 2, &(struct change){ 0 });
	unlink(path(0));
	ok(picks(0, 1, to) > 0, "a layer without experts need not be there");
	free(to);
}

static void
none(void)
{
	static const struct change empty = { .rows = -ROWS };
	uint32_t to[1];

	for (unsigned i = 0; i < cfg.nlayer; i++)
		dump(i, i, &empty);
	ok(picks(0, 1, to) == 0, "an empty dump has no routes");
}

int
main(void)
{
	static const char *const toys[] = { "odd", "mixed", "tiny" };
	const char *root = getenv("K3_TOYS");
	char model[512], rm[64];

	if (root == NULL)
		diag("set K3_TOYS to the folder of the toy models");
	if (mkdtemp(dir) == NULL)
		abort();
	for (size_t i = 0; root != NULL && i < 3; i++) {
		snprintf(model, sizeof(model), "%s/%s", root, toys[i]);
		if (k3_cfg_load(&cfg, model, &err) != 0 ||
		    (st = k3_st_open(model, &cfg, &err)) == NULL ||
		    k3_fingerprint(&cfg, st, print, &err) != 0) {
			ok(false, "%s", err.msg);
			continue;
		}
		guesses(toys[i]);
		if (i == 2) {
			refusals();
			none();
		}
		k3_st_close(st);
	}
	snprintf(rm, sizeof(rm), "rm -r %s", dir);
	if (system(rm) != 0)
		diag("cannot remove %s", dir);
	return tap_done();
}
