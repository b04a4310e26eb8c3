/*
 * plan.c - who gets how much of the memory
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cache.h"
#include "common/fetch.h"
#include "common/mem.h"
#include "common/planimpl.h"
#include "common/predict.h"
#include "common/scratch.h"
#include "common/state.h"

#define GB 1000000000ull

const struct k3_preset k3_presets[] = {
	{ "laptop", 3 * GB, 1 * GB },
	{ "desktop", 16 * GB, 10 * GB },
	{ "workstation", 60 * GB, 30 * GB },
	{ "server", 110 * GB, 13 * GB },
	{ "max", 110 * GB, 109 * GB },
	{ NULL, 0, 0 },
};

/*
 * Code, libraries and heap: a run on a toy measures under 3 MB with all its
 * files open.  As much again is for lists of IDs and the C library's buffers.
 */
#define PROGRAM_BYTES ((uint64_t)6 << 20)
#define THREAD_BYTES  ((uint64_t)256 << 10)

/* The chunk of a prompt whose length is not known, at most. */
#define CHUNK_USUAL 256

/* And of any. */
#define CHUNK_MOST ((uint64_t)1 << 20)

static const struct {
	const char *name, *why;
} text[K3_PLAN_NITEM] = {
	[K3_PLAN_PROGRAM] = { "program", "code, libraries, stacks" },
	[K3_PLAN_INDEX] = { "index", "where each tensor stands" },
	[K3_PLAN_VECTORS] = { "vectors", "norms and other small tensors" },
	[K3_PLAN_RING] = { "ring", "matrices on their way, each pass" },
	[K3_PLAN_PINS] = { "pins", "matrices that stay in memory" },
	[K3_PLAN_CACHE] = { "cache", "routed experts" },
	[K3_PLAN_STATE] = { "state", "KDA state and convolution inputs" },
	[K3_PLAN_LATENTS] = { "latents", "MLA cache for the context" },
	[K3_PLAN_CHUNK] = { "chunk", "activations of one pass" },
	[K3_PLAN_LOGITS] = { "logits", "one row of the vocabulary" },
	[K3_PLAN_FILES] = { "files",
	    "a prompt's IDs; buffers of hidden states" },
};

const char *
k3_plan_name(enum k3_plan_item item)
{
	return text[item].name;
}

const char *
k3_plan_why(enum k3_plan_item item)
{
	return text[item].why;
}

uint64_t
k3_plan_slot_bytes(const struct k3_cfg *cfg, const struct k3_st *st)
{
	uint64_t most = 0;

	for (unsigned i = cfg->ndense; i < cfg->nlayer; i++)
		for (unsigned e = 0; e < cfg->experts; e++)
			most = k3_plan_most(most, k3_fetch_room(st, i, e));
	return most;
}

static uint64_t
places(const struct k3_plan *plan)
{
	return k3_mem_size(plan->slots * plan->slot_bytes) +
	       plan->slots * K3_CACHE_SLOT;
}

/*
 * Places for 'room' bytes: at least one, and no more than there are experts and
 * places of passage.  Of many, so many are of passage that a token's experts
 * of a layer can all be on their way; of few, a quarter.
 */
static void
divide_cache(struct k3_plan *plan, uint64_t room)
{
	const struct k3_cfg *cfg = plan->cfg;
	uint64_t all = (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->experts;

	plan->slots = plan->passage = 0;
	plan->item[K3_PLAN_CACHE] = 0;
	if (all == 0)
		return;
	plan->slots = (size_t)k3_plan_most(1,
	    k3_plan_least(k3_mem_fits(room) / plan->slot_bytes,
		all + cfg->topk));
	while (plan->slots > 1 && places(plan) > room)
		plan->slots--;
	plan->passage = (uint32_t)k3_plan_most(1,
	    k3_plan_least(plan->slots / 4, cfg->topk));
	plan->item[K3_PLAN_CACHE] = places(plan);
	if (plan->ask.lookahead > 0)
		plan->item[K3_PLAN_CACHE] +=
		    k3_mem_size(plan->ask.lookahead * plan->slot_bytes);
}

uint32_t
k3_plan_cached(const struct k3_plan *plan)
{
	return (uint32_t)plan->slots - plan->passage;
}

static void
set_chunk(struct k3_plan *plan, uint32_t chunk)
{
	plan->chunk = chunk;
	plan->scratch = k3_scratch_bytes(plan->cfg, chunk, plan->ask.threads);
	plan->item[K3_PLAN_CHUNK] =
	    k3_mem_size(plan->scratch) +
	    k3_mem_size(k3_pass_bytes(plan->cfg, chunk));
}

static uint64_t
sum(struct k3_plan *plan)
{
	plan->total = 0;
	for (int i = 0; i < K3_PLAN_NITEM; i++)
		plan->total += plan->item[i];
	return plan->total;
}

/* Fit 'chunk' tokens and what was asked for under the cap, if it can be. */
static bool
fit(struct k3_plan *plan, uint32_t chunk)
{
	const struct k3_plan_ask *ask = &plan->ask;
	uint64_t room, used;

	set_chunk(plan, chunk);
	k3_plan_divide_trunk(plan, 0);
	divide_cache(plan, 0);
	if (sum(plan) > ask->ram)
		return false;
	room = ask->ram - plan->total + plan->ring;
	used = plan->item[K3_PLAN_VECTORS];
	used = ask->trunk > used ? ask->trunk - used : 0;
	used = k3_plan_divide_trunk(plan, k3_plan_least(used, room));
	room = room > used ? room - used : 0;
	divide_cache(plan,
	    k3_plan_least(ask->cache, room + k3_mem_size(plan->slot_bytes)));
	sum(plan);
	return true;
}

bool
k3_plan_divide(struct k3_plan *plan, uint64_t trunk, uint64_t cache,
    uint32_t chunk)
{
	plan->ask.trunk = trunk;
	plan->ask.cache = cache;
	return fit(plan, chunk);
}

/* Bytes of activations that need no other reason: an eighth of the memory. */
static uint64_t
usual_bytes(const struct k3_plan *plan)
{
	return k3_plan_least(plan->ask.trunk / 8 + plan->ask.cache / 8,
	    plan->ask.ram / 8);
}

/* The chunk for a prompt of any length. */
static uint32_t
usual_chunk(struct k3_plan *plan)
{
	uint32_t chunk = CHUNK_USUAL;

	while (chunk > 16) {
		set_chunk(plan, chunk);
		if (plan->item[K3_PLAN_CHUNK] <= usual_bytes(plan))
			break;
		chunk /= 2;
	}
	return chunk;
}

/* Bytes that the prompt and what follows read, if a chunk of so many fits. */
static double
reads(struct k3_plan *plan, uint32_t chunk)
{
	static const struct k3_speed unknown;
	struct k3_cost prompt, token;
	struct k3_load load;

	if (!fit(plan, chunk))
		return INFINITY;
	/* Without a cap nothing else gives way: then this is one. */
	if (plan->ask.ram == UINT64_MAX &&
	    plan->item[K3_PLAN_CHUNK] > usual_bytes(plan))
		return INFINITY;
	k3_predict_load(plan, &load);
	k3_predict_prompt(&load, &unknown, (double)plan->ask.prompt, &prompt);
	k3_predict_token(&load, &unknown, k3_predict_hits(&load), &token);
	return prompt.trunk + prompt.experts +
	       (double)plan->ask.count * (token.trunk + token.experts);
}

/*
 * A pass reads the whole streamed trunk and, from some hundred tokens on,
 * nearly every expert, however many tokens it has: of K3, whose token of a
 * prompt reads 11 GB at chunks of 128, it reads 3.0 at 512 and 0.4 at 4096.
 * A token's activations are 0.6 MB, which pins and cache lack then for every
 * token that follows.  So the chunk is doubled, up to the whole prompt, where
 * that makes prompt and continuation together read less.  K3 with 32 GB, a
 * prompt of 4096 tokens and 64 to follow: one chunk, 8 TB instead of 31.
 */
static uint32_t
choose_chunk(struct k3_plan *plan)
{
	uint32_t best = usual_chunk(plan);
	uint64_t chunk = best, most = plan->ask.prompt;
	double least;

	if (most > CHUNK_MOST)
		most = CHUNK_MOST;
	if (chunk >= most)
		return best;
	least = reads(plan, best);
	while (chunk < most) {
		double bytes;

		chunk = k3_plan_least(2 * chunk, most);
		bytes = reads(plan, (uint32_t)chunk);
		if (bytes < least) {
			least = bytes;
			best = (uint32_t)chunk;
		}
	}
	return best;
}

/* What is known of each tensor, expert and row, and of reads on their way. */
static uint64_t
index_bytes(const struct k3_plan *plan, const struct k3_st *st)
{
	const struct k3_cfg *cfg = plan->cfg;
	uint64_t experts = (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->experts;
	uint64_t fetches = (uint64_t)cfg->topk + plan->ask.lookahead;

	return k3_st_memory(st) + plan->ask.digests +
	       plan->npiece * K3_PLAN_PIECE + experts * K3_CACHE_KEY +
	       fetches * sizeof(struct k3_fetch);
}

int
k3_plan_make(struct k3_plan *plan, const struct k3_cfg *cfg,
    const struct k3_st *st, const struct k3_plan_ask *ask, struct k3_err *err)
{
	uint32_t chunk;

	/* No product of sizes can wrap up to here: k3_cfgcheck(). */
	if (ask->context > cfg->max_pos)
		return k3_fail(err, EX_USAGE,
		    "a context of %" PRIu32
		    " is above max_position_embeddings %" PRIu32,
		    ask->context, cfg->max_pos);
	memset(plan, 0, sizeof(*plan));
	plan->cfg = cfg;
	plan->ask = *ask;
	plan->st = st;
	k3_plan_measure_trunk(plan);
	plan->slot_bytes = k3_plan_slot_bytes(cfg, st);
	plan->item[K3_PLAN_PROGRAM] =
	    PROGRAM_BYTES + ask->threads * THREAD_BYTES;
	plan->item[K3_PLAN_INDEX] = index_bytes(plan, st);
	plan->item[K3_PLAN_STATE] =
	    ask->sequences * k3_mem_size(k3_state_bytes(cfg));
	plan->item[K3_PLAN_LATENTS] =
	    ask->sequences *
	    k3_mem_size(k3_state_latent_bytes(cfg, ask->context));
	if (!ask->no_logits)
		plan->item[K3_PLAN_LOGITS] =
		    ask->sequences * (uint64_t)cfg->vocab * sizeof(float);
	plan->item[K3_PLAN_FILES] = ask->files;
	chunk = ask->chunk != 0 ? ask->chunk : choose_chunk(plan);
	while (!fit(plan, chunk)) {
		if (chunk == 1 || ask->chunk != 0)
			return k3_fail(err, EX_UNAVAILABLE,
			    "cannot run in %" PRIu64
			    " bytes: the least that works is %" PRIu64,
			    ask->ram, plan->total);
		chunk /= 2;
	}
	return 0;
}

uint64_t
k3_plan_expert_reads(const struct k3_plan *plan)
{
	const struct k3_cfg *cfg = plan->cfg;

	return (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->topk *
	       k3_cfg_expert_bytes(cfg);
}
