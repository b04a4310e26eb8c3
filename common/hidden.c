/*
 * hidden.c - dumped hidden states, routed again
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/hidden.h"
#include "common/linear.h"
#include "common/pack.h"
#include "common/regular.h"
#include "common/router.h"

/* Rows of x that are read at once: so many, or so many bytes. */
#define ROWS  256
#define BYTES ((size_t)8 << 20)

struct k3_hidden {
	const struct k3_cfg *cfg;
	struct k3_st *st;
	struct k3_hidden_ask ask;
	uint8_t print[K3_DIGEST128];
	struct k3_kern kern;
	struct k3_pass pass; /* as far as products and routers need it */
	uint64_t rows;       /* of each layer */
	size_t most;         /* rows at once */
	unsigned layer, end; /* of the dump: in work; after the last */
	struct k3_layer *l;  /* NULL: the layer has not begun */
	const struct k3_layer_tensor *t;
	struct k3_digest *digest;
	bool checked;
	uint64_t at;     /* row */
	float *x;        /* [most][hidden] */
	uint32_t *pick;  /* [most][topk or lookahead] */
	float *weight;   /* [most][topk], or NULL with lookahead */
	uint8_t *router; /* [experts][hidden], as stored */
	float *bias;     /* [experts] */
};

static int
refuse(const struct k3_layer *l, const char *why, struct k3_err *err)
{
	return k3_fail(err, EX_DATAERR, "'%s': %s", l->path, why);
}

static const struct k3_layer_tensor *
find_x(const struct k3_hidden *h, const struct k3_layer *l)
{
	const struct k3_layer_tensor *t = k3_layer_find(l, "x");

	if (t == NULL || !t->grows || t->dtype != K3_F32 || t->ndim != 2 ||
	    t->dim[1] != h->cfg->hidden)
		return NULL;
	return t;
}

/* Is it what this model dumps of that layer? */
static int
check_layer(const struct k3_hidden *h, const struct k3_layer *l, unsigned layer,
    struct k3_err *err)
{
	if (l->kind != K3_LAYER_HIDDEN)
		return k3_fail(err, EX_DATAERR,
		    "'%s': kind %d (%s) instead of hidden states", l->path,
		    (int)l->kind, k3_layer_kind_name(l->kind));
	if (l->layer != layer)
		return k3_fail(err, EX_DATAERR,
		    "'%s': layer %" PRIu32 " instead of %u", l->path, l->layer,
		    layer);
	if (memcmp(l->fingerprint, h->print, K3_DIGEST128) != 0)
		return refuse(l, "it was dumped by another model", err);
	if (find_x(h, l) == NULL)
		return k3_fail(err, EX_DATAERR,
		    "'%s': no tensor x of float32, [rows][%" PRIu32 "]",
		    l->path, h->cfg->hidden);
	if (l->rows > h->cfg->max_pos)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " rows are more than a sequence's "
		    "%" PRIu32 " positions",
		    l->path, l->rows, h->cfg->max_pos);
	return 0;
}

static struct k3_layer *
open_layer(const struct k3_hidden *h, unsigned layer, struct k3_err *err)
{
	char name[K3_PACK_NAME], path[4096];
	struct k3_layer *l;

	if (k3_regular_folder(h->ask.dir, err) != 0)
		return NULL;
	k3_pack_name(h->cfg, layer, name);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", h->ask.dir, name) >=
	    sizeof(path)) {
		k3_fail(err, EX_NOINPUT,
		    "cannot open '%.100s...': the name is too long",
		    h->ask.dir);
		return NULL;
	}
	l = k3_layer_open(path, err);
	if (l != NULL && check_layer(h, l, layer, err) == 0)
		return l;
	k3_layer_close(l);
	return NULL;
}

/* Before the first line all must be there, with as many rows each. */
static int
look(struct k3_hidden *h, struct k3_err *err)
{
	bool first = true;

	for (unsigned i = h->layer; i < h->cfg->nlayer; i++, first = false) {
		struct k3_layer *l = open_layer(h, i, err);
		uint64_t rows;

		if (l == NULL)
			return -1;
		rows = l->rows;
		if (!first && rows != h->rows)
			k3_fail(err, EX_DATAERR,
			    "'%s': %" PRIu64 " rows, but layer %u has "
			    "%" PRIu64,
			    l->path, rows, h->layer, h->rows);
		k3_layer_close(l);
		if (!first && rows != h->rows)
			return -1;
		h->rows = rows;
	}
	return 0;
}

/* The largest router of any layer, as stored. */
static uint64_t
router_bytes(const struct k3_hidden *h)
{
	uint64_t most = 0;

	for (unsigned i = h->cfg->ndense; i < h->cfg->nlayer; i++) {
		uint64_t len = k3_st_tensor(h->st, i, K3_T_ROUTER).len;

		most = len > most ? len : most;
	}
	return most;
}

static int
allocate(struct k3_hidden *h, struct k3_err *err)
{
	size_t experts = h->cfg->experts, hidden = h->cfg->hidden;
	size_t topk = h->cfg->topk, ahead = h->ask.lookahead;
	size_t size = (h->most + 2) * (experts + K3_ALIGN) * sizeof(float);

	h->x = malloc(h->most * hidden * sizeof(float));
	h->pick =
	    malloc(h->most * (ahead > 0 ? ahead : topk) * sizeof(*h->pick));
	if (ahead == 0)
		h->weight = malloc(h->most * topk * sizeof(*h->weight));
	h->router = malloc(router_bytes(h) + 1);
	h->bias = malloc((experts + 1) * sizeof(*h->bias));
	h->pass.scratch.size = size =
	    (size + K3_ALIGN - 1) / K3_ALIGN * K3_ALIGN;
	h->pass.scratch.base = aligned_alloc(K3_ALIGN, size);
	if (h->x != NULL && h->pick != NULL &&
	    (ahead > 0 || h->weight != NULL) && h->router != NULL &&
	    h->bias != NULL && h->pass.scratch.base != NULL)
		return 0;
	return k3_fail(err, EX_OSERR,
	    "cannot allocate 'hidden': out of memory");
}

struct k3_hidden *
k3_hidden_open(const struct k3_cfg *cfg, struct k3_st *st,
    const struct k3_hidden_ask *ask, struct k3_err *err)
{
	struct k3_hidden *h = calloc(1, sizeof(*h));

	if (h == NULL) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate 'hidden': out of memory");
		return NULL;
	}
	h->cfg = h->pass.cfg = cfg;
	h->st = st;
	h->ask = *ask;
	h->layer = cfg->ndense;
	/* Nothing is guessed from the last layer's x. */
	h->end = cfg->nlayer;
	if (ask->lookahead > 0 && h->end > h->layer)
		h->end--;
	h->most = BYTES / sizeof(float) / cfg->hidden;
	h->most = h->most > ROWS ? ROWS : h->most > 0 ? h->most : 1;
	k3_kern_init(&h->kern, ask->cpu);
	h->pass.kern = &h->kern;
	if (ask->lookahead > cfg->experts) {
		k3_fail(err, EX_USAGE,
		    "cannot guess %" PRIu32 " experts of the %" PRIu32
		    " that a layer has",
		    ask->lookahead, cfg->experts);
		goto fail;
	}
	if (k3_fingerprint(cfg, st, h->print, err) == 0 && look(h, err) == 0 &&
	    allocate(h, err) == 0 &&
	    (h->digest = k3_digest_open(K3_DIGEST_64, err)) != NULL &&
	    k3_par_open(&h->pass.par, ask->threads, err) == 0)
		return h;
fail:
	k3_hidden_close(h);
	return NULL;
}

void
k3_hidden_close(struct k3_hidden *h)
{
	if (h == NULL)
		return;
	k3_par_close(&h->pass.par);
	k3_layer_close(h->l);
	k3_digest_close(h->digest);
	free(h->x);
	free(h->pick);
	free(h->weight);
	free(h->router);
	free(h->bias);
	free(h->pass.scratch.base);
	free(h);
}

uint64_t
k3_hidden_bytes(const struct k3_hidden *h)
{
	return (h->end - h->layer) * h->rows * h->cfg->hidden * sizeof(float);
}

/* The layer's file, and the router that its x goes through. */
static int
begin(struct k3_hidden *h, struct k3_err *err)
{
	unsigned to = h->layer + (h->ask.lookahead > 0);
	struct k3_loc w = k3_st_tensor(h->st, to, K3_T_ROUTER);
	struct k3_loc b = k3_st_tensor(h->st, to, K3_T_ROUTER_BIAS);
	uint8_t *end = (uint8_t *)(h->bias + h->cfg->experts) - b.len;
	char name[K3_NAME_MAX];

	h->l = open_layer(h, h->layer, err);
	if (h->l == NULL)
		return -1;
	if (h->l->rows != h->rows)
		return refuse(h->l, "it has changed", err);
	h->t = find_x(h, h->l);
	h->at = 0;
	h->checked = false;
	k3_digest_reset(h->digest);
	k3_tensor_name(to, K3_T_ROUTER, name);
	if (k3_st_read(h->st, w.file, w.off, h->router, w.len, name, err) != 0)
		return -1;
	k3_tensor_name(to, K3_T_ROUTER_BIAS, name);
	if (k3_st_read(h->st, b.file, b.off, end, b.len, name, err) != 0)
		return -1;
	k3_widen(h->bias, end, b.dtype, h->cfg->experts);
	for (uint32_t e = 0; e < h->cfg->experts; e++)
		if (!isfinite(h->bias[e]))
			return k3_fail(err, EX_DATAERR,
			    "'%s': a number that is not finite", name);
	return 0;
}

/* Rows from h->at on: how many. */
static size_t
read_rows(struct k3_hidden *h, struct k3_hidden_rows *rows, struct k3_err *err)
{
	size_t row = h->cfg->hidden * sizeof(float), n = h->most;

	if (n > h->rows - h->at)
		n = (size_t)(h->rows - h->at);
	rows->bytes = n * row;
	if (k3_layer_read(h->l, h->t, h->at * row, h->x, n * row, err) != 0)
		return 0;
	return n;
}

/* All rows have come by: is the digest that of the trailer? */
static int
check_digest(struct k3_hidden *h, struct k3_err *err)
{
	uint64_t digest = k3_digest_get64(h->digest);

	h->checked = true;
	h->at = 0;
	if (digest == h->t->digest)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s' tensor x: digest is %016" PRIx64
	    ", but the trailer has %016" PRIx64,
	    h->l->path, digest, h->t->digest);
}

/* Of a product that is not finite, x may be the cause. */
static int
check_finite(const struct k3_hidden *h, size_t n, struct k3_err *err)
{
	size_t hidden = h->cfg->hidden;

	for (size_t i = 0; i < n * hidden; i++)
		if (!isfinite(h->x[i]))
			return k3_fail(err, EX_DATAERR,
			    "'%s' tensor x: row %" PRIu64
			    " has a number that is not finite",
			    h->l->path, h->at + i / hidden);
	return 0;
}

/* The experts of one token, rising. */
static void
guess(const struct k3_hidden *h, float *s, uint32_t *taken, uint32_t *pick)
{
	uint32_t experts = h->cfg->experts;
	size_t n = 0;

	k3_pick_best(h->cfg, s, h->bias, pick, h->ask.lookahead);
	memset(taken, 0, experts * sizeof(*taken));
	for (size_t k = 0; k < h->ask.lookahead; k++)
		taken[pick[k]] = 1;
	for (uint32_t e = 0; e < experts; e++)
		if (taken[e])
			pick[n++] = e;
}

static int
route(struct k3_hidden *h, struct k3_hidden_rows *rows, struct k3_err *err)
{
	const struct k3_cfg *cfg = h->cfg;
	struct k3_scratch *scratch = &h->pass.scratch;
	struct k3_weight w = { h->router, K3_BF16, cfg->experts, cfg->hidden };
	size_t topk = cfg->topk, ahead = h->ask.lookahead;
	float *s = k3_scratch_floats(scratch, rows->n * cfg->experts);
	uint32_t *taken = k3_scratch_words(scratch, cfg->experts);
	char name[K3_NAME_MAX];
	int bad;

	w.dtype = k3_st_tensor(h->st, rows->layer, K3_T_ROUTER).dtype;
	k3_tensor_name(rows->layer, K3_T_ROUTER, name);
	bad = k3_linear_weight(&h->pass, w, name, h->x, w.n, s, w.rows, rows->n,
	    err);
	if (bad == 0)
		h->kern.sigmoid(s, rows->n * cfg->experts);
	for (size_t i = 0; i < rows->n && bad == 0; i++, s += cfg->experts)
		if (ahead > 0)
			guess(h, s, taken, h->pick + i * ahead);
		else
			k3_pick(cfg, s, h->bias, taken, h->pick + i * topk,
			    h->weight + i * topk);
	scratch->used = 0;
	return bad;
}

int
k3_hidden_next(struct k3_hidden *h, struct k3_hidden_rows *rows,
    struct k3_err *err)
{
	size_t n;

	memset(rows, 0, sizeof(*rows));
	if (h->layer == h->end || h->rows == 0)
		return 0;
	if (h->l == NULL && begin(h, err) != 0)
		return -1;
	if ((n = read_rows(h, rows, err)) == 0)
		return -1;
	if (!h->checked) {
		k3_digest_add(h->digest, h->x,
		    n * h->cfg->hidden * sizeof(float));
		h->at += n;
		return h->at == h->rows && check_digest(h, err) != 0 ? -1 : 1;
	}
	rows->layer = h->layer + (h->ask.lookahead > 0);
	rows->first = h->at;
	rows->n = n;
	rows->pick = h->pick;
	rows->weight = h->weight;
	if (check_finite(h, n, err) != 0 || route(h, rows, err) != 0)
		return -1;
	h->at += n;
	if (h->at == h->rows) {
		k3_layer_close(h->l);
		h->l = NULL;
		h->layer++;
	}
	return 1;
}
