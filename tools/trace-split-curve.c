/*
 * trace-split-curve.c - divisions of one budget, and the best of them
 */
#include <string.h>

#include "tools/tool-engine.h"
#include "tools/tool.h"
#include "tools/trace-split.h"

/* Steps of the trunk's share: of the curve, and of the search. */
#define CURVE  8
#define COARSE 32
#define FINE   8
#define LEVELS 2

/* The least chunk of a prompt that is tried. */
#define CHUNK_LEAST 16

struct search {
	const struct split_options *o;
	struct k3_plan plan;
};

/*
 * Give the trunk a share of what is left when everything has its least, and
 * the cache the rest.  False if that chunk does not fit at all.
 */
static bool
divide(struct search *s, double share, uint32_t chunk, struct split_row *row)
{
	struct k3_plan *plan = &s->plan;
	const uint64_t *item = plan->item;
	struct k3_load load;
	uint64_t least;

	if (!k3_plan_divide(plan, 0, 0, chunk))
		return false;
	least = item[K3_PLAN_VECTORS] + item[K3_PLAN_PINS] + plan->ring;
	least += (uint64_t)(share * (double)(plan->ask.ram - plan->total));
	if (!k3_plan_divide(plan, least, UINT64_MAX, chunk))
		return false;
	k3_predict_load(plan, &load);
	*row = (struct split_row){ .ram = plan->ask.ram,
		.trunk =
		    item[K3_PLAN_VECTORS] + item[K3_PLAN_PINS] + plan->ring,
		.cache = item[K3_PLAN_CACHE],
		.ring = plan->ring,
		.chunk = chunk,
		.pinned = 1 - load.trunk / load.matrices,
		.hits = k3_predict_hits(&load) };
	k3_predict_token(&load, &s->o->speed, row->hits, &row->token);
	k3_predict_prompt(&load, &s->o->speed, s->o->prompt, &row->prompt);
	return true;
}

/* Seconds of all that is asked for; of equal ones, fewer bytes are better. */
static bool
better(const struct search *s, const struct split_row *a,
    const struct split_row *b)
{
	double n = s->o->count;
	double x = a->prompt.seconds + n * a->token.seconds;
	double y = b->prompt.seconds + n * b->token.seconds;

	if (x < y * (1 - 1e-9) || y < x * (1 - 1e-9))
		return x < y;
	return a->prompt.trunk + a->prompt.experts +
		   n * (a->token.trunk + a->token.experts) <
	       b->prompt.trunk + b->prompt.experts +
		   n * (b->token.trunk + b->token.experts);
}

/* Try shares from 'from' on, in steps; the best one is kept. */
static void
try_shares(struct search *s, double from, double step, int n, double *share,
    struct split_row *best)
{
	uint32_t chunk = best->chunk;
	struct split_row row;

	for (int i = 0; i <= n; i++) {
		double at = from + i * step;

		if (at < 0 || at > 1 || !divide(s, at, chunk, &row) ||
		    !better(s, &row, best))
			continue;
		*best = row;
		*share = at;
	}
}

/* The prompt's chunk at that share: its double, and so on up to the prompt. */
static void
try_chunks(struct search *s, double share, struct split_row *best)
{
	uint32_t most =
	    (uint32_t)(s->o->prompt < 1 << 20 ? s->o->prompt : 1 << 20);
	struct split_row row;

	for (uint32_t chunk = CHUNK_LEAST; chunk < 2 * most; chunk *= 2)
		if (divide(s, share, chunk < most ? chunk : most, &row) &&
		    better(s, &row, best))
			*best = row;
}

/* Shares and chunks by turns, until neither gets better. */
static double
search(struct search *s, struct split_row *best)
{
	double share = 1, step;
	uint32_t chunk;

	do {
		step = 1.0 / COARSE;
		chunk = best->chunk;
		try_shares(s, 0, step, COARSE, &share, best);
		for (int level = 0; level < LEVELS; level++) {
			step /= FINE;
			try_shares(s, share - FINE * step, step, 2 * FINE,
			    &share, best);
		}
		try_chunks(s, share, best);
	} while (best->chunk != chunk);
	best->best = true;
	return share;
}

/* One that is the same as the last only says that it is best. */
static size_t
push(struct split_row *row, size_t n, const struct split_row *next)
{
	if (n > 0 && row[n - 1].trunk == next->trunk &&
	    row[n - 1].cache == next->cache) {
		row[n - 1].best |= next->best;
		return n;
	}
	row[n] = *next;
	return n + 1;
}

size_t
split_curve(const struct split_options *o, const struct k3_cfg *cfg,
    const struct k3_st *st, uint64_t ram, struct split_row row[SPLIT_ROWS])
{
	struct tool_engine engine = { .trunk_ram = UINT64_MAX,
		.cache_ram = UINT64_MAX,
		.ram = ram,
		.context = o->context,
		.threads = o->threads };
	static struct search s;
	struct split_row best, next;
	struct k3_plan_ask ask;
	struct k3_err err;
	bool put = false;
	double share;
	size_t n = 0;

	s.o = o;
	tool_memory_ask(&engine, cfg, (uint64_t)o->prompt, (uint64_t)o->count,
	    &ask);
	/* What the plan itself would do is where the search begins. */
	if (k3_plan_make(&s.plan, cfg, st, &ask, &err) != 0 ||
	    !divide(&s, 1, s.plan.chunk, &best))
		tool_die(&err);
	share = search(&s, &best);
	for (int i = 0; i <= CURVE; i++) {
		double at = (double)i / CURVE;

		if (!put && share <= at) {
			n = push(row, n, &best);
			put = true;
		}
		if (divide(&s, at, best.chunk, &next))
			n = push(row, n, &next);
	}
	return n;
}
