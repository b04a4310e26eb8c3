/*
 * model.c - the forward pass against the independent reference
 *
 * tests/vectors/NAME holds what tests/reference computed for the toy NAME, in
 * float64 and from the model's description alone.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "tests/fixture.h"
#include "tests/tap.h"

#define NPOS    32
#define NGREEDY 20
#define BOUND   5e-5

static const char *const toys[] = { "tiny", "thirteen", "odd", "wide",
	"mixed" };

struct toy {
	const char *name;
	struct fixture f;
	float *hidden; /* [layer][NPOS][2][hidden] */
	float *logits; /* [NPOS][vocab] */
	FILE *routes;  /* the reference's, read line by line */
	unsigned bad_picks;
	double worst_weight;
};

static struct k3_err err;

/* A file of 'n' floats of the reference; NULL if it is not there. */
static float *
read_floats(const char *toy, const char *file, size_t n)
{
	char path[512];
	float *x = malloc(n * sizeof(*x));
	FILE *fp;

	snprintf(path, sizeof(path), "tests/vectors/%s/%s", toy, file);
	fp = fopen(path, "rb");
	if (fp == NULL || x == NULL || fread(x, sizeof(*x), n, fp) != n ||
	    getc(fp) != EOF) {
		diag("cannot read %s", path);
		free(x);
		x = NULL;
	}
	if (fp != NULL)
		fclose(fp);
	return x;
}

static bool
read_ids(const char *toy, const char *file, uint32_t *id, size_t n)
{
	char path[512];
	FILE *fp;
	size_t got = 0;

	snprintf(path, sizeof(path), "tests/vectors/%s/%s", toy, file);
	fp = fopen(path, "r");
	while (fp != NULL && got < n && fscanf(fp, "%" SCNu32, &id[got]) == 1)
		got++;
	if (fp != NULL)
		fclose(fp);
	return got == n;
}

/* The largest difference over the largest value.  Two fmax() in this loop are
 * an internal error of gcc 12.2 for AArch64. */
static double
distance(const float *x, const float *y, size_t n)
{
	double diff = 0, top = 0;

	for (size_t i = 0; i < n; i++) {
		double d = fabs((double)x[i] - y[i]), v = fabs((double)y[i]);

		diff = d > diff ? d : diff;
		top = v > top ? v : top;
	}
	return top == 0 ? diff : diff / top;
}

static int
keep_hidden(void *arg, unsigned layer, const float *x, const float *p,
    size_t rows, struct k3_err *e)
{
	struct toy *toy = arg;
	size_t n = toy->f.cfg.hidden;

	(void)e;
	for (size_t t = 0; t < rows && toy->f.state.pos + t < NPOS; t++) {
		size_t at = (layer * NPOS + toy->f.state.pos + t) * 2 * n;

		memcpy(toy->hidden + at, x + t * n, n * sizeof(*x));
		memcpy(toy->hidden + at + n, p + t * n, n * sizeof(*p));
	}
	return 0;
}

/* The next line of the reference's routes has these picks and weights. */
static void
check_route(struct toy *toy, unsigned layer, uint32_t pos, const uint32_t *pick,
    const float *weight)
{
	char line[4096], *s = line;
	unsigned want_layer, want_pos;
	int at = 0;

	do {
		if (fgets(line, sizeof(line), toy->routes) == NULL) {
			toy->bad_picks++;
			return;
		}
	} while (line[0] == '#');
	if (sscanf(s, "%*u\t%*c\t%*u\t%u\t%u\t%n", &want_pos, &want_layer,
		&at) != 2 ||
	    want_pos != pos || want_layer != layer) {
		toy->bad_picks++;
		return;
	}
	s += at;
	for (uint32_t k = 0; k < toy->f.cfg.topk; k++)
		toy->bad_picks +=
		    strtoul(s, &s, 10) != pick[k] ||
		    *s++ != (k + 1 < toy->f.cfg.topk ? ',' : '\t');
	for (uint32_t k = 0; k < toy->f.cfg.topk; k++, s++) {
		double w = strtod(s, &s);

		toy->worst_weight =
		    fmax(toy->worst_weight, fabs(w - (double)weight[k]) / w);
	}
}

static int
keep_routes(void *arg, unsigned layer, const struct k3_span *span, size_t nspan,
    const uint32_t *pick, const float *weight, struct k3_err *e)
{
	struct toy *toy = arg;

	(void)e;
	(void)nspan;
	for (uint32_t t = 0; t < span->n; t++)
		check_route(toy, layer, span->state->pos + t,
		    pick + t * toy->f.cfg.topk, weight + t * toy->f.cfg.topk);
	return 0;
}

static bool
open_toy(struct toy *toy)
{
	struct k3_watch watch = { toy, keep_hidden, keep_routes };
	char path[600], dir[512];

	snprintf(dir, sizeof(dir), "%s/%s", getenv("K3_TOYS"), toy->name);
	snprintf(path, sizeof(path), "tests/vectors/%s/routes", toy->name);
	toy->routes = fopen(path, "r");
	if (toy->routes == NULL || !fixture_open(&toy->f, dir, NPOS + NGREEDY,
				       NPOS, 2, k3_cpu_detect(), &err))
		return false;
	k3_model_watch(toy->f.model, &watch);
	toy->hidden = malloc(toy->f.cfg.nlayer * (size_t)NPOS * 2 *
			     toy->f.cfg.hidden * sizeof(float));
	toy->logits = malloc((size_t)NPOS * toy->f.cfg.vocab * sizeof(float));
	return toy->hidden != NULL && toy->logits != NULL;
}

static void
close_toy(struct toy *toy)
{
	if (toy->routes != NULL)
		fclose(toy->routes);
	fixture_close(&toy->f);
	free(toy->hidden);
	free(toy->logits);
}

/* Feed the prompt in one pass: all logits, hidden states and routes. */
static void
teacher(struct toy *toy)
{
	size_t layers = toy->f.cfg.nlayer,
	       n = (size_t)NPOS * 2 * toy->f.cfg.hidden;
	size_t nlogit = (size_t)NPOS * toy->f.cfg.vocab;
	float *hidden = read_floats(toy->name, "hidden.f32", layers * n);
	float *logits = read_floats(toy->name, "logits.f32", nlogit);
	uint32_t id[NPOS];
	struct k3_span span = { &toy->f.state, id, NPOS, NPOS, toy->logits };
	double worst = 0;
	size_t bad = 0;

	if (!ok(hidden != NULL && logits != NULL &&
		    read_ids(toy->name, "prompt.ids", id, NPOS) &&
		    k3_forward(toy->f.model, &span, 1, &err) == 0,
		"%s: %d positions at once", toy->name, NPOS)) {
		diag("%s", err.msg);
		return;
	}
	for (size_t i = 0; i < layers; i++) {
		double d = distance(toy->hidden + i * n, hidden + i * n, n);

		worst = fmax(worst, d);
		bad += d >= BOUND;
	}
	ok(bad == 0, "%s: hidden states after each layer within %.0e",
	    toy->name, BOUND);
	diag("largest difference / largest value: %.2e", worst);
	worst = distance(toy->logits, logits, nlogit);
	ok(worst < BOUND, "%s: logits within %.0e", toy->name, BOUND);
	diag("largest difference / largest value: %.2e", worst);
	free(hidden);
	free(logits);
}

static uint32_t
argmax(const float *x, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		best = x[i] > x[best] ? i : best;
	return best;
}

/* Go on from the prompt's last logits, one ID a pass. */
static void
greedy(struct toy *toy)
{
	uint32_t want[NGREEDY] = { 0 }, got[NGREEDY], vocab = toy->f.cfg.vocab;
	float *logits = toy->logits;
	struct k3_span span = { &toy->f.state, NULL, 1, 1, logits };
	bool done = read_ids(toy->name, "greedy.ids", want, NGREEDY);

	got[0] = argmax(logits + (size_t)(NPOS - 1) * vocab, vocab);
	for (int i = 1; i < NGREEDY && done; i++) {
		span.ids = &got[i - 1];
		done = k3_forward(toy->f.model, &span, 1, &err) == 0;
		got[i] = argmax(logits, vocab);
	}
	if (!ok(done && memcmp(got, want, sizeof(got)) == 0,
		"%s: %d greedy IDs", toy->name, NGREEDY))
		for (int i = 0; i < NGREEDY; i++)
			diag("%d: got %" PRIu32 ", want %" PRIu32, i, got[i],
			    want[i]);
	ok(toy->bad_picks == 0 && fgetc(toy->routes) == EOF, "%s: all routes",
	    toy->name);
	ok(toy->worst_weight < BOUND, "%s: all weights", toy->name);
}

int
main(void)
{
	if (getenv("K3_TOYS") == NULL) {
		skip("the forward pass", "K3_TOYS is not set");
		return tap_done();
	}
	for (size_t i = 0; i < sizeof(toys) / sizeof(toys[0]); i++) {
		struct toy *toy = calloc(1, sizeof(*toy));

		toy->name = toys[i];
		if (ok(open_toy(toy), "%s: opens", toy->name)) {
			teacher(toy);
			greedy(toy);
		} else {
			diag("%s", err.msg);
		}
		close_toy(toy);
		free(toy);
	}
	return tap_done();
}
