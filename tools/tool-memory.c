/*
 * tool-memory.c - how much memory the options give to whom
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "tools/tool-engine.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

/* What a machine needs for itself, at most. */
#define HEADROOM ((uint64_t)8 << 30)

/* Positions that a sequence has room for, if nothing else is said. */
#define CONTEXT_LEAST 4096

static const struct k3_preset *
find_preset(const char *name)
{
	const struct k3_preset *p = k3_presets;
	struct k3_err err;

	while (p->name != NULL && strcmp(p->name, name) != 0)
		p++;
	if (p->name != NULL)
		return p;
	k3_fail(&err, EX_USAGE,
	    "no preset '%s': k3-decode --list-presets shows them", name);
	tool_die(&err);
}

void
tool_memory_presets(void)
{
	printf("%-12s %14s %14s\n", "preset", "trunk", "cache");
	for (const struct k3_preset *p = k3_presets; p->name != NULL; p++)
		printf("%-12s %14" PRIu64 " %14" PRIu64 "\n", p->name, p->trunk,
		    p->cache);
	printf("%-12s as much as this machine has to spare\n", "auto");
}

bool
tool_memory_auto(const struct tool_engine *e)
{
	if (e->preset != NULL && strcmp(e->preset, "auto") != 0)
		return false;
	return e->trunk_ram == UINT64_MAX || e->cache_ram == UINT64_MAX;
}

int
tool_memory_lock(void)
{
	struct k3_err err;
	int fd = k3_mem_lock(&err);

	if (fd == -1 && err.code == EX_TEMPFAIL)
		tool_note("waiting for another k3 to take its memory");
	while (fd == -1 && err.code == EX_TEMPFAIL) {
		if (tool_signal_stop())
			tool_signal_die();
		usleep(50000);
		fd = k3_mem_lock(&err);
	}
	if (fd == -1)
		tool_note("another k3 may count on the same memory: %s",
		    err.msg);
	return fd;
}

/* The first prompt decides the context, if no option does. */
static uint32_t
context(const struct tool_engine *e, const struct k3_cfg *cfg, uint64_t prompt,
    uint64_t count)
{
	uint64_t want = prompt + count;

	if (e->context != 0)
		return e->context;
	if (want < prompt || want < CONTEXT_LEAST)
		want = want < prompt ? UINT64_MAX : CONTEXT_LEAST;
	return want < cfg->max_pos ? (uint32_t)want : cfg->max_pos;
}

/* A fifth is left to the machine, but no more than it can need. */
static uint64_t
share(uint64_t room)
{
	uint64_t left = room / 5 < HEADROOM ? room / 5 : HEADROOM;

	return room == UINT64_MAX ? room : room - left;
}

void
tool_memory_ask(const struct tool_engine *e, const struct k3_cfg *cfg,
    uint64_t prompt, uint64_t count, struct k3_plan_ask *ask)
{
	const struct k3_preset *p;

	memset(ask, 0, sizeof(*ask));
	ask->trunk = ask->cache = ask->ram = UINT64_MAX;
	if (tool_memory_auto(e)) {
		ask->ram = share(k3_mem_available());
	} else if (e->preset != NULL && strcmp(e->preset, "auto") != 0) {
		p = find_preset(e->preset);
		ask->trunk = p->trunk;
		ask->cache = p->cache;
	}
	if (e->trunk_ram != UINT64_MAX)
		ask->trunk = e->trunk_ram;
	if (e->cache_ram != UINT64_MAX)
		ask->cache = e->cache_ram;
	if (e->ram != UINT64_MAX)
		ask->ram = e->ram;
	ask->context = context(e, cfg, prompt, count);
	ask->files = (uint64_t)ask->context * sizeof(uint32_t);
	if (e->digests != NULL)
		ask->digests = k3_sidecar_memory(e->digests);
	ask->chunk = e->chunk;
	ask->prompt = prompt;
	ask->count = count;
	ask->sequences = 1;
	ask->threads = e->threads;
}

void
tool_memory_tell(const struct tool_engine *e, const struct k3_plan *plan)
{
	const struct k3_cfg *cfg = plan->cfg;
	uint64_t all = (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->experts;
	bool capped = e->ram != UINT64_MAX;

	if (e->verbose || plan->ring > 0 || k3_plan_cached(plan) < all)
		tool_note("of %.3g GB %s takes %.3g GB: %.0f %% of the "
			  "trunk, %u of %llu experts, chunks of %u tokens",
		    (double)(capped ? e->ram : k3_mem_available()) / 1e9,
		    capped ? "allowed" : "available", (double)plan->total / 1e9,
		    100.0 * (double)k3_plan_pinned(plan) /
			(double)k3_plan_matrices(plan),
		    k3_plan_cached(plan), (unsigned long long)all, plan->chunk);
	if (plan->item[K3_PLAN_PINS] > 0 && k3_mem_swap() > 0)
		tool_note("pinned memory may be swapped out: %.3g GB of swap "
			  "are free",
		    (double)k3_mem_swap() / 1e9);
}
