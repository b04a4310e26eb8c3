/*
 * experts.c - the routed experts: wanted, cached, read
 *
 * What stays is the cache's decision (cache.h), made for all experts of a
 * batch before the first is read.  Reads then start in the order of delivery,
 * as far ahead as there are places: one that the cache takes in goes straight
 * into its slot, which the batch has no other use for; one that only passes
 * through goes into one of a few places kept for that.
 *
 * The cache does not hear of reads that fail: what it believes to be in a slot
 * is there only if the slot is whole, and is read again otherwise.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ahead.h"
#include "common/cache.h"
#include "common/clock.h"
#include "common/experts.h"
#include "common/mem.h"

#define NONE K3_CACHE_NONE

/* Above this a scale byte is corrupt: its weights would not be finite. */
#define SCALE_MAX 252

/* An expert of the batch; place is cache slots, then those of passage. */
struct wanted {
	uint32_t place; /* NONE: of passage, not yet given one */
	bool hit;
	struct k3_ahead_guess *guess; /* that it would be, or NULL */
};

struct k3_experts {
	struct k3_shards *shards;
	const struct k3_cfg *cfg;
	const struct k3_plan *plan;
	struct k3_cache *cache;
	uint8_t *mem;      /* [plan->slots] places */
	bool *whole;       /* [cached]: the slot's expert is there, checked */
	uint32_t *passage; /* [passage]: places that are free, */
	uint32_t npassage; /* so many */
	struct wanted *wanted;  /* [experts] */
	struct k3_fetch *job;   /* [plan->passage]: of expert i at i mod that */
	struct k3_ahead *ahead; /* NULL: no lookahead */
	size_t *come;           /* [plan->passage]: to be checked together */
	unsigned layer;
	const uint32_t *list;
	size_t n, started, next;
	struct k3_experts_stats stats;
};

struct k3_experts *
k3_experts_open(struct k3_shards *shards, const struct k3_plan *plan,
    struct k3_err *err)
{
	struct k3_experts *ex = calloc(1, sizeof(*ex));
	const struct k3_cfg *cfg = plan->cfg;
	uint32_t cached = k3_plan_cached(plan), pass = plan->passage;
	struct k3_cache_shape shape = { cfg->nlayer - cfg->ndense, cfg->experts,
		cfg->topk, cached };

	if (ex == NULL)
		goto nomem;
	ex->shards = shards;
	ex->cfg = cfg;
	ex->plan = plan;
	ex->whole = calloc((size_t)cached + 1, sizeof(*ex->whole));
	ex->passage = calloc((size_t)pass + 1, sizeof(*ex->passage));
	ex->wanted = calloc((size_t)cfg->experts + 1, sizeof(*ex->wanted));
	ex->job = calloc((size_t)pass + 1, sizeof(*ex->job));
	ex->come = calloc((size_t)pass + 1, sizeof(*ex->come));
	if (ex->whole == NULL || ex->passage == NULL || ex->wanted == NULL ||
	    ex->job == NULL || ex->come == NULL)
		goto nomem;
	ex->cache = k3_cache_open(&shape, err);
	ex->mem = k3_mem_alloc(plan->slots * plan->slot_bytes, "cache", err);
	if (plan->ask.lookahead > 0)
		ex->ahead = k3_ahead_open(shards, plan->ask.lookahead,
		    plan->slot_bytes, err);
	if (ex->cache != NULL && ex->mem != NULL &&
	    (plan->ask.lookahead == 0 || ex->ahead != NULL))
		return ex;
	k3_experts_close(ex);
	return NULL;
nomem:
	k3_experts_close(ex);
	k3_fail(err, EX_OSERR, "cannot allocate 'cache': out of memory");
	return NULL;
}

/* The queue was closed before: nothing is on its way any more. */
void
k3_experts_close(struct k3_experts *ex)
{
	if (ex == NULL)
		return;
	if (ex->mem != NULL)
		k3_mem_free(ex->mem, ex->plan->slots * ex->plan->slot_bytes);
	k3_cache_close(ex->cache);
	k3_ahead_close(ex->ahead);
	free(ex->whole);
	free(ex->passage);
	free(ex->wanted);
	free(ex->job);
	free(ex->come);
	free(ex);
}

int
k3_experts_touch(struct k3_experts *ex, struct k3_err *err)
{
	if (k3_ahead_touch(ex->ahead, err) != 0)
		return -1;
	return k3_mem_touch(ex->mem, ex->plan->slots * ex->plan->slot_bytes,
	    "cache", err);
}

void
k3_experts_guess(struct k3_experts *ex, unsigned layer, const uint32_t *list,
    size_t n)
{
	for (size_t i = 0; i < n && ex->ahead != NULL; i++)
		if (!k3_cache_holds(ex->cache, layer - ex->cfg->ndense,
			list[i]) &&
		    !k3_ahead_start(ex->ahead, layer, list[i],
			&ex->stats.bytes))
			return;
}

/* The place of expert number 'i' of the batch. */
static uint8_t *
place(const struct k3_experts *ex, size_t i)
{
	return ex->mem + ex->wanted[i].place * ex->plan->slot_bytes;
}

/* Queue the reads of expert number 'i' of the batch; its place is known. */
static int
start(struct k3_experts *ex, size_t i, struct k3_err *err)
{
	double begin = k3_clock();
	struct k3_fetch_layout l;

	k3_fetch_layout(ex->shards->st, ex->layer, ex->list[i], place(ex, i),
	    &l);
	if (k3_fetch_start(&ex->job[i % ex->plan->passage], ex->shards,
		ex->layer, ex->list[i], &l, true, &ex->stats.bytes, err) != 0)
		return -1;
	ex->stats.wait += k3_clock() - begin;
	return 0;
}

/* Start reads as far ahead as there are jobs and places. */
static int
pump(struct k3_experts *ex, struct k3_err *err)
{
	for (;
	     ex->started < ex->n && ex->started < ex->next + ex->plan->passage;
	     ex->started++) {
		struct wanted *w = &ex->wanted[ex->started];

		if (w->hit || w->guess != NULL)
			continue;
		if (w->place == NONE) {
			if (ex->npassage == 0)
				return 0;
			w->place = ex->passage[--ex->npassage];
		}
		if (start(ex, ex->started, err) != 0)
			return -1;
	}
	return 0;
}

static void
count(struct k3_experts *ex)
{
	const struct k3_cache_counts *c = k3_cache_counts(ex->cache);

	ex->stats.demands = c->demands;
	ex->stats.hits = c->hits;
	ex->stats.misses = c->misses;
	ex->stats.evictions = c->evictions;
	ex->stats.bypassed = c->bypassed;
}

/*
 * A batch that was left, because something failed, still has reads on their
 * way.  They are waited for, and all places of passage are free then; but for
 * those that the kernel has not given back, which end all use of this.
 */
static int
leave_batch(struct k3_experts *ex, struct k3_err *err)
{
	for (size_t i = 0; i < ex->n; i++) {
		struct wanted *w = &ex->wanted[i];
		struct k3_fetch *job = &ex->job[i % ex->plan->passage];

		if (w->guess != NULL)
			w->guess->held = false;
		if (i >= ex->next && i < ex->started && !w->hit &&
		    w->guess == NULL &&
		    k3_fetch_drop(ex->shards->io, job, err) != 0)
			return -1;
	}
	ex->npassage = 0;
	while (ex->npassage < ex->plan->passage) {
		ex->passage[ex->npassage] =
		    k3_plan_cached(ex->plan) + ex->npassage;
		ex->npassage++;
	}
	return 0;
}

/* Was it read on a guess? */
static void
take_guess(struct k3_experts *ex, size_t i)
{
	struct wanted *w = &ex->wanted[i];

	w->guess = NULL;
	if (ex->ahead == NULL || w->hit)
		return;
	w->guess = k3_ahead_take(ex->ahead, ex->layer, ex->list[i]);
	ex->stats.right += w->guess != NULL;
}

int
k3_experts_want(struct k3_experts *ex, unsigned layer, const uint32_t *list,
    size_t n, struct k3_err *err)
{
	if (leave_batch(ex, err) != 0)
		return -1;
	ex->layer = layer;
	ex->list = list;
	ex->n = n;
	ex->started = ex->next = 0;
	k3_cache_visit(ex->cache, layer - ex->cfg->ndense, n);
	for (size_t i = 0; i < n; i++) {
		struct k3_cache_answer a = k3_cache_demand(ex->cache, list[i]);

		assert(i == 0 || list[i] > list[i - 1]);
		ex->wanted[i].place = a.slot;
		ex->wanted[i].hit = a.kind == K3_CACHE_HIT && ex->whole[a.slot];
		if (a.kind == K3_CACHE_ADMIT)
			ex->whole[a.slot] = false;
		take_guess(ex, i);
	}
	if (ex->ahead != NULL)
		ex->stats.wrong += k3_ahead_drop(ex->ahead, layer);
	count(ex);
	return pump(ex, err);
}

/* Bytes that are looked at together, so that a compiler makes vectors. */
#define LANES 16

static uint8_t
largest(const uint8_t *p, uint64_t len)
{
	uint8_t most[LANES] = { 0 }, top = 0;

	for (; len >= LANES; len -= LANES, p += LANES)
		for (size_t k = 0; k < LANES; k++)
			most[k] = p[k] > most[k] ? p[k] : most[k];
	for (size_t k = 0; k < len; k++)
		top = p[k] > top ? p[k] : top;
	for (size_t k = 0; k < LANES; k++)
		top = most[k] > top ? most[k] : top;
	return top;
}

static int
check_scales(const struct k3_experts *ex, unsigned e, enum k3_part part,
    const uint8_t *p, struct k3_err *err)
{
	struct k3_loc loc = k3_st_part(ex->shards->st, ex->layer, e, part);
	char name[K3_NAME_MAX];
	uint8_t top = largest(p, loc.len);

	if (top <= SCALE_MAX)
		return 0;
	k3_part_name(ex->layer, e, part, name);
	return k3_fail(err, EX_DATAERR,
	    "'%s' tensor %s: scale byte %u is "
	    "above %d",
	    k3_st_path(ex->shards->st, loc.file), name, top, SCALE_MAX);
}

/* Where expert number 'i' of the batch is, or is coming to. */
static void
lay_out(const struct k3_experts *ex, size_t i, struct k3_fetch_layout *l)
{
	const struct wanted *w = &ex->wanted[i];

	k3_fetch_layout(ex->shards->st, ex->layer, ex->list[i],
	    w->guess != NULL ? w->guess->place : place(ex, i), l);
}

static struct k3_fetch *
job_of(const struct k3_experts *ex, size_t i)
{
	const struct wanted *w = &ex->wanted[i];

	return w->guess != NULL ? &w->guess->fetch
				: &ex->job[i % ex->plan->passage];
}

static bool
checked(const struct k3_experts *ex, size_t i)
{
	const struct k3_sidecar *s = ex->shards->digests;

	return s == NULL || k3_sidecar_checked(s,
				k3_sidecar_expert(s, ex->layer, ex->list[i]));
}

/* Is it one range?  The digest of others is one stream for all. */
static bool
adjoins(const struct k3_experts *ex, size_t i)
{
	struct k3_fetch_layout l;

	lay_out(ex, i, &l);
	return l.n == 1;
}

static int
check(const struct k3_experts *ex, size_t i, const struct k3_fetch_layout *l,
    struct k3_err *err)
{
	return k3_sidecar_check_expert(ex->shards->digests, ex->shards->st,
	    ex->layer, ex->list[i], l->part, err);
}

/* Of what is wrong nothing is known then: it is said in its turn. */
static void
check_come(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct k3_experts *ex = arg;
	struct k3_fetch_layout l;
	struct k3_err ignored;

	(void)thread;
	for (; begin < end; begin++) {
		lay_out(ex, ex->come[begin], &l);
		check(ex, ex->come[begin], &l, &ignored);
	}
}

/*
 * Has expert number 'i' its digest?  If there are more of which that is not
 * known, because one thread is slower than the disk, the threads share them.
 */
static int
check_digest(struct k3_experts *ex, size_t i, const struct k3_fetch_layout *l,
    struct k3_err *err)
{
	size_t n = 0;

	if (checked(ex, i))
		return 0;
	for (size_t k = i; k < ex->started; k++)
		if (!ex->wanted[k].hit && !checked(ex, k) && adjoins(ex, k) &&
		    k3_fetch_done(ex->shards->io, job_of(ex, k)))
			ex->come[n++] = k;
	k3_par_run(ex->shards->par, n, 1, check_come, ex);
	return checked(ex, i) ? 0 : check(ex, i, l, err);
}

/*
 * Until its reads are there, and look at them.  What was guessed and is to stay
 * is copied into its slot, so that the place is free for other guesses.
 */
static int
await(struct k3_experts *ex, size_t i, struct k3_fetch_layout *l,
    struct k3_err *err)
{
	struct wanted *w = &ex->wanted[i];
	double begin = k3_clock();

	if (k3_fetch_wait(ex->shards->io, job_of(ex, i), err) != 0)
		return -1;
	ex->stats.wait += k3_clock() - begin;
	if (w->guess != NULL && w->place != NONE) {
		memcpy(place(ex, i), w->guess->place, ex->plan->slot_bytes);
		k3_fetch_layout(ex->shards->st, ex->layer, ex->list[i],
		    place(ex, i), l);
		w->guess->held = false;
		w->guess = NULL;
	}
	for (unsigned p = K3_P_W1_SCALE; p < K3_NPART; p += 2)
		if (check_scales(ex, ex->list[i], (enum k3_part)p, l->part[p],
			err) != 0)
			return -1;
	if (check_digest(ex, i, l, err) != 0)
		return -1;
	if (w->place < k3_plan_cached(ex->plan))
		ex->whole[w->place] = true;
	return 0;
}

static struct k3_mx
matrix(const struct k3_experts *ex, const struct k3_fetch_layout *l,
    enum k3_part part)
{
	struct k3_shape shape;
	struct k3_mx mx;

	k3_part_shape(ex->cfg, part, &shape);
	mx.w = l->part[part];
	mx.scale = l->part[part + 1];
	mx.rows = shape.dim[0];
	mx.n = shape.dim[1] * 2;
	return mx;
}

/* The place of passage of the one before, if it had one, is free again. */
static void
leave(struct k3_experts *ex)
{
	struct wanted *w = &ex->wanted[ex->next - 1];

	if (w->place >= k3_plan_cached(ex->plan) && w->place != NONE)
		ex->passage[ex->npassage++] = w->place;
	w->place = NONE;
	if (w->guess != NULL)
		w->guess->held = false;
	w->guess = NULL;
}

int
k3_experts_next(struct k3_experts *ex, struct k3_expert *expert,
    struct k3_err *err)
{
	struct k3_fetch_layout l;
	size_t i = ex->next;

	if (i > 0)
		leave(ex);
	if (i == ex->n)
		return 0;
	if (pump(ex, err) != 0)
		return -1;
	assert(ex->started > i);
	expert->number = ex->list[i];
	lay_out(ex, i, &l);
	if (!ex->wanted[i].hit && await(ex, i, &l, err) != 0)
		return -1;
	expert->w1 = matrix(ex, &l, K3_P_W1);
	expert->w2 = matrix(ex, &l, K3_P_W2);
	expert->w3 = matrix(ex, &l, K3_P_W3);
	ex->next++;
	return 1;
}

const struct k3_experts_stats *
k3_experts_stats(const struct k3_experts *ex)
{
	return &ex->stats;
}
