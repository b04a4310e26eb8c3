/*
 * model.c - an opened model, and the forward pass over spans
 *
 * The layer's wiring (k3.md's steps): y = attnres of the snapshots and the
 * prefix p; at a block's first layer p is pushed as a snapshot and starts
 * anew; p += attention(rms(y)); again y = attnres, p += ffn(rms(y)).
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/attnres.h"
#include "common/ffn.h"
#include "common/kda.h"
#include "common/linear.h"
#include "common/mem.h"
#include "common/mla.h"
#include "common/model.h"
#include "common/norm.h"

struct k3_model {
	const struct k3_cfg *cfg;
	const struct k3_plan *plan;
	struct k3_kern kern;
	struct k3_pass pass;
	struct k3_io *io;
	struct k3_shards shards;
	char *mem;        /* prefix, y, result, snapshots */
	float *p, *y, *a; /* [chunk][hidden] */
	float **snap;     /* [snapshots]: [chunk][hidden] */
	size_t nsnap;     /* on the stack */
	bool fresh;       /* p is "none": the next result replaces it */
	unsigned half;    /* half-layers done in this pass */
};

static int
allocate(struct k3_model *model, struct k3_err *err)
{
	const struct k3_cfg *cfg = model->cfg;
	uint64_t chunk = model->plan->chunk, bytes = k3_pass_bytes(cfg, chunk);
	struct k3_scratch carve = { .size = bytes };
	struct k3_scratch *scratch = &model->pass.scratch;
	size_t n = chunk * cfg->hidden;

	model->snap = calloc(k3_snapshots(cfg), sizeof(*model->snap));
	if (model->snap == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'snapshots': out of memory");
	model->mem = carve.base = k3_mem_alloc(bytes, "chunk", err);
	scratch->size = model->plan->scratch;
	scratch->base = k3_mem_alloc(scratch->size, "chunk", err);
	if (model->mem == NULL || scratch->base == NULL)
		return -1;
	model->p = k3_scratch_floats(&carve, n);
	model->y = k3_scratch_floats(&carve, n);
	model->a = k3_scratch_floats(&carve, n);
	for (uint32_t i = 0; i < k3_snapshots(cfg); i++)
		model->snap[i] = k3_scratch_floats(&carve, n);
	return 0;
}

static int
touch(struct k3_model *model, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	uint64_t bytes = k3_pass_bytes(model->cfg, model->plan->chunk);

	if (k3_mem_touch(model->mem, bytes, "chunk", err) != 0 ||
	    k3_mem_touch(pass->scratch.base, pass->scratch.size, "chunk",
		err) != 0 ||
	    k3_trunk_touch(pass->trunk, err) != 0)
		return -1;
	return k3_experts_touch(pass->experts, err);
}

struct k3_model *
k3_model_open(struct k3_st *st, const struct k3_plan *plan,
    const struct k3_model_ask *ask, struct k3_err *err)
{
	struct k3_model *model = calloc(1, sizeof(*model));
	struct k3_pass *pass;

	if (model == NULL) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate 'model': out of memory");
		return NULL;
	}
	model->cfg = plan->cfg;
	model->plan = plan;
	k3_kern_init(&model->kern, ask->cpu);
	pass = &model->pass;
	pass->cfg = plan->cfg;
	pass->kern = &model->kern;
	pass->lookahead = plan->ask.lookahead;
	if (allocate(model, err) == 0 &&
	    k3_par_open(&pass->par, plan->ask.threads, err) == 0 &&
	    (model->io = k3_io_open(&ask->io, err)) != NULL &&
	    k3_shards_init(&model->shards, st, model->io, ask->digests,
		&pass->par, err) == 0 &&
	    (pass->experts = k3_experts_open(&model->shards, plan, err)) !=
		NULL &&
	    (pass->trunk = k3_trunk_open(&model->shards, plan, ask->packed,
		 err)) != NULL &&
	    (!ask->touch || touch(model, err) == 0))
		return model;
	k3_model_close(model);
	return NULL;
}

void
k3_model_close(struct k3_model *model)
{
	if (model == NULL)
		return;
	k3_par_close(&model->pass.par);
	/* Where the kernel may still write, memory is not given back. */
	if (k3_io_close(model->io) != 0)
		return;
	k3_trunk_close(model->pass.trunk);
	k3_experts_close(model->pass.experts);
	k3_shards_fini(&model->shards);
	k3_mem_free(model->mem, k3_pass_bytes(model->cfg, model->plan->chunk));
	k3_mem_free(model->pass.scratch.base, model->pass.scratch.size);
	free(model->snap);
	free(model);
}

void
k3_model_watch(struct k3_model *model, const struct k3_watch *watch)
{
	model->pass.watch = *watch;
}

static int
span_fits(const struct k3_span *span, struct k3_err *err)
{
	if (span->n <= span->state->context - span->state->pos)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "a sequence of %" PRIu64 " tokens does not fit a context of "
	    "%" PRIu32,
	    (uint64_t)span->state->pos + span->n, span->state->context);
}

/* Check a span and put its tokens' embeddings into p, from 'row' on. */
static int
embed(struct k3_model *model, const struct k3_span *span, size_t row,
    struct k3_err *err)
{
	const struct k3_cfg *cfg = model->cfg;

	if (span_fits(span, err) != 0)
		return -1;
	for (uint32_t i = 0; i < span->n; i++) {
		if (span->ids[i] >= cfg->vocab)
			return k3_fail(err, EX_DATAERR,
			    "token ID %" PRIu32 " is not below %" PRIu32,
			    span->ids[i], cfg->vocab);
		if (k3_trunk_embed(model->pass.trunk, span->ids[i],
			model->p + (row + i) * cfg->hidden, err) != 0)
			return -1;
	}
	return 0;
}

static bool
wants_logits(const struct k3_pass *pass)
{
	for (size_t i = 0; i < pass->nspan; i++)
		if (pass->span[i].nlogit > 0)
			return true;
	return false;
}

/* Everything about a pass but its rows. */
static int
begin(struct k3_model *model, const struct k3_span *span, size_t nspan,
    unsigned half, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;

	pass->span = span;
	pass->nspan = nspan;
	pass->rows = 0;
	pass->layer = 0;
	pass->moved = false;
	pass->scratch.used = 0;
	model->nsnap = k3_snapshots_after(model->cfg, half);
	model->half = half;
	model->fresh = false;
	for (size_t i = 0; i < nspan; i++)
		pass->rows += span[i].n;
	if (pass->rows > model->plan->chunk)
		return k3_fail(err, EX_SOFTWARE,
		    "a pass of %zu tokens is longer than the plan's %" PRIu32,
		    pass->rows, model->plan->chunk);
	return k3_trunk_resume(pass->trunk, half, wants_logits(pass), err);
}

int
k3_pass_begin(struct k3_model *model, const struct k3_span *span, size_t nspan,
    struct k3_err *err)
{
	if (begin(model, span, nspan, 0, err) != 0)
		return -1;
	for (size_t i = 0, row = 0; i < nspan; row += span[i++].n)
		if (embed(model, &span[i], row, err) != 0)
			return -1;
	return 0;
}

/* What a half-layer that failed has pushed does not count. */
int
k3_pass_hold(const struct k3_model *model, struct k3_held *held,
    struct k3_err *err)
{
	if (model->pass.moved)
		return k3_fail(err, EX_UNAVAILABLE,
		    "layer %u failed when its state had moved on",
		    model->pass.layer);
	held->rows = model->half > 0 ? model->pass.rows : 0;
	held->half = model->half;
	held->nsnap = k3_snapshots_after(model->cfg, model->half);
	held->prefix = model->p;
	held->snap = model->snap;
	return 0;
}

int
k3_pass_resume(struct k3_model *model, const struct k3_span *span, size_t nspan,
    unsigned half, struct k3_held *held, struct k3_err *err)
{
	assert(half > 0 && half <= 2 * model->cfg->nlayer);
	if (begin(model, span, nspan, half, err) != 0)
		return -1;
	for (size_t i = 0; i < nspan; i++)
		if (span_fits(&span[i], err) != 0)
			return -1;
	return k3_pass_hold(model, held, err);
}

/* y = attnres(B, p), or p itself while there is no snapshot. */
static int
residual(struct k3_model *model, enum k3_tensor norm_t, enum k3_tensor proj_t,
    struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	uint64_t mark = pass->scratch.used;
	size_t n = pass->rows;
	const float *norm, *proj;

	if (model->nsnap == 0) {
		memcpy(model->y, model->p,
		    n * model->cfg->hidden * sizeof(float));
		return 0;
	}
	if ((norm = k3_vector(pass, norm_t, err)) == NULL ||
	    (proj = k3_vector(pass, proj_t, err)) == NULL)
		return -1;
	k3_attnres(pass, (const float *const *)model->snap, model->nsnap,
	    model->p, norm, proj, model->y, n);
	pass->scratch.used = mark;
	return 0;
}

/* y = rms(y, a norm of the layer), in place. */
static int
normalise(struct k3_model *model, enum k3_tensor t, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	uint64_t mark = pass->scratch.used;
	const float *w = k3_vector(pass, t, err);

	if (w == NULL)
		return -1;
	k3_rms_rows(pass->kern, model->y, model->y, w, pass->rows,
	    model->cfg->hidden, (float)model->cfg->eps);
	pass->scratch.used = mark;
	return 0;
}

/* Steps 1 to 3; the pushed prefix is replaced, not added to. */
static int
attention(struct k3_model *model, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	size_t n = pass->rows * model->cfg->hidden;

	if (residual(model, K3_T_ATTN_RES_NORM, K3_T_ATTN_RES_PROJ, err) != 0)
		return -1;
	if (pass->layer % model->cfg->res_block == 0) {
		memcpy(model->snap[model->nsnap++], model->p,
		    n * sizeof(float));
		model->fresh = true;
	}
	if (normalise(model, K3_T_ATTN_NORM, err) != 0 ||
	    (model->cfg->mla[pass->layer]
		    ? k3_mla(pass, model->y, model->a, err)
		    : k3_kda(pass, model->y, model->a, err)) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		model->p[i] =
		    model->fresh ? model->a[i] : model->p[i] + model->a[i];
	model->fresh = false;
	return 0;
}

/* Step 4. */
static int
ffn(struct k3_model *model, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	const struct k3_watch *watch = &pass->watch;
	size_t n = pass->rows * model->cfg->hidden;
	bool dense = pass->layer < model->cfg->ndense;

	if (residual(model, K3_T_FFN_RES_NORM, K3_T_FFN_RES_PROJ, err) != 0 ||
	    normalise(model, K3_T_FFN_NORM, err) != 0 ||
	    (dense ? k3_dense(pass, model->y, model->a, err)
		   : k3_moe(pass, model->y, model->a, err)) != 0)
		return -1;
	pass->moved = true;
	for (size_t i = 0; i < n; i++)
		model->p[i] += model->a[i];
	if (watch->hidden != NULL)
		return watch->hidden(watch->arg, pass->layer, model->y,
		    model->p, pass->rows, err);
	return 0;
}

int
k3_pass_half(struct k3_model *model, struct k3_err *err)
{
	unsigned halves = 2 * model->cfg->nlayer;

	if (model->half == halves || model->pass.rows == 0)
		return 0;
	model->pass.layer = model->half / 2;
	k3_trunk_begin(model->pass.trunk, model->pass.layer);
	if ((model->half % 2 == 0 ? attention : ffn)(model, err) != 0)
		return -1;
	model->pass.moved = false;
	model->half++;
	return model->half < halves;
}

/* A vector of the head, as float32, in scratch; NULL on failure. */
static const float *
head_vector(struct k3_pass *pass, enum k3_tensor t, struct k3_err *err)
{
	char name[K3_NAME_MAX];

	k3_tensor_name(pass->cfg->nlayer, t, name);
	return k3_vector_weight(pass, k3_trunk_head(pass->trunk, t), name, err);
}

/* y = rms(attnres(B, p; output_attn_res), norm) for all rows. */
static int
output(struct k3_model *model, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	uint64_t mark = pass->scratch.used;
	const float *norm, *proj, *out;

	if ((norm = head_vector(pass, K3_T_OUT_RES_NORM, err)) == NULL ||
	    (proj = head_vector(pass, K3_T_OUT_RES_PROJ, err)) == NULL ||
	    (out = head_vector(pass, K3_T_OUT_NORM, err)) == NULL)
		return -1;
	k3_attnres(pass, (const float *const *)model->snap, model->nsnap,
	    model->p, norm, proj, model->y, pass->rows);
	k3_rms_rows(pass->kern, model->y, model->y, out, pass->rows,
	    model->cfg->hidden, (float)model->cfg->eps);
	pass->scratch.used = mark;
	return 0;
}

/* The logits that the spans want; lm_head comes in pieces, for all of them. */
static int
logits(struct k3_model *model, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;
	size_t hidden = model->cfg->hidden, vocab = model->cfg->vocab;
	struct k3_weight w;
	char name[K3_NAME_MAX];

	k3_tensor_name(0, K3_T_LM_HEAD, name);
	for (size_t at = 0; at < vocab; at += w.rows) {
		size_t row = 0;

		if (k3_trunk_lm_head(pass->trunk, at, &w, err) != 0)
			return -1;
		for (size_t i = 0; i < pass->nspan; i++) {
			const struct k3_span *span = &pass->span[i];

			row += span->n;
			if (span->nlogit == 0)
				continue;
			if (k3_linear_weight(pass, w, name,
				model->y + (row - span->nlogit) * hidden,
				hidden, span->logits + at, vocab, span->nlogit,
				err) != 0)
				return -1;
		}
	}
	return 0;
}

int
k3_pass_end(struct k3_model *model, struct k3_err *err)
{
	struct k3_pass *pass = &model->pass;

	for (size_t i = 0; i < pass->nspan; i++)
		assert(pass->span[i].nlogit <= pass->span[i].n);
	if (wants_logits(pass) &&
	    (output(model, err) != 0 || logits(model, err) != 0))
		return -1;
	for (size_t i = 0; i < pass->nspan; i++)
		pass->span[i].state->pos += pass->span[i].n;
	/* There is none in work. */
	pass->rows = 0;
	model->half = 0;
	return 0;
}

int
k3_forward(struct k3_model *model, const struct k3_span *span, size_t nspan,
    struct k3_err *err)
{
	int more;

	if (k3_pass_begin(model, span, nspan, err) != 0)
		return -1;
	while ((more = k3_pass_half(model, err)) == 1)
		;
	return more == -1 ? -1 : k3_pass_end(model, err);
}

struct k3_kern *
k3_model_kern(struct k3_model *model)
{
	return &model->kern;
}

struct k3_io *
k3_model_io(const struct k3_model *model)
{
	return model->io;
}

const struct k3_trunk_stats *
k3_model_trunk(const struct k3_model *model)
{
	return k3_trunk_stats(model->pass.trunk);
}

const struct k3_experts_stats *
k3_model_experts(const struct k3_model *model)
{
	return k3_experts_stats(model->pass.experts);
}
