/*
 * plan.c - who gets how much of the memory
 */
#include <inttypes.h>
#include <string.h>

#include "common/mem.h"
#include "common/plan.h"
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

/* Where only lm_head is streamed, it goes through a slot of this size. */
#define HEAD_SLOT ((uint64_t)16 << 20)

/* The chunk chosen when none is asked for, at most. */
#define CHUNK_MOST 256

static const struct {
	const char *name, *why;
} text[K3_PLAN_NITEM] = {
	[K3_PLAN_PROGRAM] = { "program", "code, libraries, stacks" },
	[K3_PLAN_INDEX] = { "index", "where each tensor stands" },
	[K3_PLAN_HEAD] = { "head", "final norms, and lm_head if pinned" },
	[K3_PLAN_RING] = { "ring", "the layer in work, read for each pass" },
	[K3_PLAN_PINS] = { "pins", "layers that stay in memory" },
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

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The head without embedding and lm_head; and lm_head. */
static uint64_t
small_head(const struct k3_cfg *cfg)
{
	return 4 * (uint64_t)(K3_T_LM_HEAD - K3_T_EMBED) *
	       (cfg->hidden + K3_ALIGN);
}

static void
measure_layers(struct k3_plan *plan, const struct k3_st *st)
{
	const struct k3_cfg *cfg = plan->cfg;
	uint64_t off[K3_NTENSOR];
	uint8_t dtype[K3_NTENSOR];

	for (unsigned i = 0; i < cfg->nlayer; i++) {
		k3_st_dtypes(st, i, dtype);
		plan->layer_bytes[i] = k3_layout(cfg, i, dtype, off);
	}
	plan->layer_bytes[cfg->nlayer] =
	    k3_st_tensor(st, cfg->nlayer, K3_T_LM_HEAD).len;
}

/* The largest layer that is not pinned; a smaller slot if that is lm_head. */
static uint64_t
ring_bytes(const struct k3_plan *plan)
{
	unsigned n = plan->cfg->nlayer;
	uint64_t row = plan->layer_bytes[n] / plan->cfg->vocab, bytes = 0;

	for (unsigned i = 0; i < n; i++)
		if (!plan->pinned[i])
			bytes = most(bytes, plan->layer_bytes[i]);
	if (!plan->pinned[n])
		bytes = most(bytes,
		    most(row, least(plan->layer_bytes[n], HEAD_SLOT)));
	return k3_mem_size(bytes);
}

/* Divide 'room' between pins and ring; returns what they take. */
static uint64_t
pin(struct k3_plan *plan, uint64_t room)
{
	unsigned n = plan->cfg->nlayer;
	uint64_t ring, used = 0;

	memset(plan->pinned, 0, sizeof(plan->pinned));
	for (unsigned i = 0; i <= n; i++)
		used += k3_mem_size(plan->layer_bytes[i]);
	if (used <= room) {
		memset(plan->pinned, 1, n + 1);
		ring = 0;
	} else {
		ring = ring_bytes(plan);
		used = 0;
		for (unsigned i = 0; i <= n; i++) {
			uint64_t bytes = k3_mem_size(plan->layer_bytes[i]);

			if (ring + used + bytes > room)
				continue;
			plan->pinned[i] = true;
			used += bytes;
		}
		ring = ring_bytes(plan);
	}
	plan->ring = ring;
	plan->item[K3_PLAN_RING] = ring;
	plan->item[K3_PLAN_HEAD] = small_head(plan->cfg);
	if (plan->pinned[n]) {
		plan->item[K3_PLAN_HEAD] += k3_mem_size(plan->layer_bytes[n]);
		used -= k3_mem_size(plan->layer_bytes[n]);
	}
	plan->item[K3_PLAN_PINS] = used;
	return ring + used +
	       (plan->pinned[n] ? k3_mem_size(plan->layer_bytes[n]) : 0);
}

/* Slots for 'room' bytes: at least one, and never more than experts. */
static void
divide_cache(struct k3_plan *plan, uint64_t room)
{
	const struct k3_cfg *cfg = plan->cfg;
	uint64_t all = (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->experts;

	plan->slots = (size_t)most(1, least(room / plan->slot_bytes, all));
	if (all == 0)
		plan->slots = 0;
	while (plan->slots > 1 &&
	       k3_mem_size(plan->slots * plan->slot_bytes) > room)
		plan->slots--;
	plan->item[K3_PLAN_CACHE] = k3_mem_size(plan->slots * plan->slot_bytes);
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
	pin(plan, 0);
	divide_cache(plan, 0);
	if (sum(plan) > ask->ram)
		return false;
	room = ask->ram - plan->total + plan->ring;
	used = pin(plan, least(ask->trunk, room));
	room = room > used ? room - used : 0;
	divide_cache(plan,
	    least(ask->cache, room + k3_mem_size(plan->slot_bytes)));
	sum(plan);
	return true;
}

/*
 * A pass reads the whole streamed trunk however many tokens it has, so a
 * prompt wants large chunks; an eighth of the memory goes to them.
 */
static uint32_t
choose_chunk(struct k3_plan *plan)
{
	uint64_t budget = plan->ask.trunk / 8 + plan->ask.cache / 8;
	uint32_t chunk = CHUNK_MOST;

	budget = least(budget, plan->ask.ram / 8);
	while (chunk > 16) {
		set_chunk(plan, chunk);
		if (plan->item[K3_PLAN_CHUNK] <= budget)
			break;
		chunk /= 2;
	}
	return chunk;
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
	measure_layers(plan, st);
	plan->slot_bytes =
	    (k3_cfg_expert_bytes(cfg) + K3_ALIGN - 1) / K3_ALIGN * K3_ALIGN;
	plan->item[K3_PLAN_PROGRAM] =
	    PROGRAM_BYTES + ask->threads * THREAD_BYTES;
	plan->item[K3_PLAN_INDEX] = k3_st_memory(st);
	plan->item[K3_PLAN_STATE] =
	    ask->sequences * k3_mem_size(k3_state_bytes(cfg));
	plan->item[K3_PLAN_LATENTS] =
	    ask->sequences *
	    k3_mem_size(k3_state_latent_bytes(cfg, ask->context));
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
k3_plan_trunk_reads(const struct k3_plan *plan)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		if (!plan->pinned[i])
			bytes += plan->layer_bytes[i];
	return bytes;
}

uint64_t
k3_plan_expert_reads(const struct k3_plan *plan)
{
	const struct k3_cfg *cfg = plan->cfg;

	return (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->topk *
	       k3_cfg_expert_bytes(cfg);
}

unsigned
k3_plan_pinned(const struct k3_plan *plan)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan->cfg->nlayer; i++)
		n += plan->pinned[i];
	return n;
}
