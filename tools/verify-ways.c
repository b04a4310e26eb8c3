/*
 * verify-ways.c - what can be changed of the way in which a model is run
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/cpu.h"
#include "common/io.h"
#include "tools/verify-ladder.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Experts of the next layer that are read on a guess, where any are. */
#define LOOKAHEAD 2

/*
 * One more way: the base, to be changed, and its name.  The list has room for
 * all that there can be.
 */
__attribute__((format(printf, 3, 4))) static struct replay_way *
add(struct ladder *l, enum ladder_rung_name rung, const char *fmt, ...)
{
	struct ladder_way *way = &l->way[l->nway++];
	va_list ap;

	way->rung = rung;
	way->how = l->base;
	va_start(ap, fmt);
	vsnprintf(way->name, sizeof(way->name), fmt, ap);
	va_end(ap);
	return &way->how;
}

/* A share of what the base has for trunk and cache; 0 is the least. */
static void
take(const struct ladder *l, struct replay_way *way, unsigned share)
{
	const uint64_t *item = l->plan.item;

	way->plan.trunk = 0;
	way->plan.cache = 0;
	if (share == 0)
		return;
	way->plan.trunk =
	    (item[K3_PLAN_VECTORS] + item[K3_PLAN_RING] + item[K3_PLAN_PINS]) /
	    share;
	way->plan.cache = item[K3_PLAN_CACHE] / share;
}

/* Of a model that is small or a machine that is, some of these are one. */
static bool
divides_alike(const struct k3_plan *a, const struct k3_plan *b)
{
	return a->ring == b->ring && a->slots == b->slots &&
	       memcmp(a->pinned, b->pinned, sizeof(a->pinned)) == 0;
}

static void
add_budgets(struct ladder *l)
{
	static const struct {
		const char *name;
		unsigned share;
	} budget[] = { { "the least", 0 }, { "a quarter", 4 }, { "half", 2 } };
	struct k3_plan plan, before = l->plan;
	struct k3_err err;

	for (size_t i = 0; i < COUNT(budget); i++) {
		struct replay_way *way =
		    add(l, LADDER_BUDGETS, "%s of the memory", budget[i].name);

		take(l, way, budget[i].share);
		if (k3_plan_make(&plan, l->host.cfg, l->host.st, &way->plan,
			&err) != 0 ||
		    divides_alike(&plan, &l->plan) ||
		    divides_alike(&plan, &before))
			l->nway--;
		else
			before = plan;
	}
}

static void
add_threads(struct ladder *l)
{
	for (unsigned n = 1; n <= 3; n++)
		if (n != l->base.plan.threads)
			add(l, LADDER_THREADS, "%u thread%s", n,
			    n > 1 ? "s" : "")
			    ->plan.threads = n;
}

/* Those that cut the prompt otherwise than the base does. */
static void
add_chunks(struct ladder *l)
{
	static const uint32_t size[] = { 1, 2, 3, 7, 61, 251 };
	uint32_t n = l->prompt.n;
	uint32_t own = l->plan.chunk < n ? l->plan.chunk : n;

	for (size_t i = 0; i < COUNT(size); i++)
		if (size[i] < n && size[i] != own)
			add(l, LADDER_CHUNKS, "chunk %" PRIu32, size[i])
			    ->plan.chunk = size[i];
	if (own < n)
		add(l, LADDER_CHUNKS, "chunk %" PRIu32, n)->plan.chunk = n;
}

/* The i-th level that is not the base's and that this CPU has. */
static bool
other_level(const struct ladder *l, size_t i, unsigned *cpu)
{
	static const char *const name[] = { "scalar", "avx2", "avx512",
		"neon" };
	struct k3_err err;

	for (size_t k = 0; k < COUNT(name); k++)
		if (k3_cpu_parse(name[k], cpu, &err) == 0 &&
		    *cpu != l->base.how.cpu && i-- == 0)
			return true;
	return false;
}

/* Does the engine work here?  aio may not be there. */
static bool
is_engine(const struct k3_io_engine *engine, const char *name)
{
	struct k3_io_ask ask = { .engine = engine };
	struct k3_err err;
	struct k3_io *io = k3_io_open(&ask, &err);
	bool is = io != NULL && strcmp(k3_io_name(io), name) == 0;

	k3_io_close(io);
	return is;
}

/* The engine that the base does not use; NULL if there is none. */
static const struct k3_io_engine *
other_engine(const struct ladder *l)
{
	struct k3_err err;
	const char *name =
	    is_engine(l->base.how.io.engine, "aio") ? "pread" : "aio";
	const struct k3_io_engine *engine = k3_io_engine(name, &err);

	return is_engine(engine, name) ? engine : NULL;
}

static void
without_digests(struct replay_way *way)
{
	way->how.digests = NULL;
	way->plan.digests = 0;
}

/* What is one thing, there or not. */
static void
add_others(struct ladder *l, const struct k3_io_engine *engine)
{
	const struct k3_cfg *cfg = l->host.cfg;
	unsigned cpu;

	for (size_t i = 0; other_level(l, i, &cpu); i++)
		add(l, LADDER_CPU, "level %s", k3_cpu_name(cpu))->how.cpu = cpu;
	if (engine != NULL)
		add(l, LADDER_IO, "engine %s", engine->name)->how.io.engine =
		    engine;
	if (l->base.how.packed != NULL)
		add(l, LADDER_TRUNK, "trunk from the shards")->how.packed =
		    NULL;
	if (l->base.how.digests != NULL)
		without_digests(add(l, LADDER_DIGESTS, "digests not checked"));
	if (cfg->ndense < cfg->nlayer)
		add(l, LADDER_LOOKAHEAD, "%d experts read on a guess",
		    LOOKAHEAD)
		    ->plan.lookahead = LOOKAHEAD;
}

static void
add_together(struct ladder *l, const struct k3_io_engine *engine)
{
	struct replay_way *way = add(l, LADDER_TOGETHER, "all at once");
	unsigned cpu;

	take(l, way, 0);
	way->plan.threads = way->plan.threads == 1 ? 2 : 1;
	way->plan.chunk = l->prompt.n > 3 ? 3 : 1;
	way->plan.lookahead = LOOKAHEAD;
	for (size_t i = 0; other_level(l, i, &cpu); i++)
		way->how.cpu = cpu;
	if (engine != NULL)
		way->how.io.engine = engine;
	way->how.packed = NULL;
	without_digests(way);
}

/* A cap has room for the base, but not for three threads or a long chunk. */
static int
fit(struct ladder *l, struct k3_err *err)
{
	struct k3_plan plan;

	l->nfit = 0;
	for (size_t i = 0; i < l->nway; i++) {
		struct ladder_way *way = &l->way[i];

		way->fits = k3_plan_make(&plan, l->host.cfg, l->host.st,
				&way->how.plan, err) == 0;
		if (!way->fits && err->code != EX_UNAVAILABLE)
			return -1;
		l->nfit += way->fits;
	}
	return 0;
}

int
ladder_ways(struct ladder *l, bool quick, struct k3_err *err)
{
	const struct k3_io_engine *engine = other_engine(l);

	l->nway = 0;
	if (k3_plan_make(&l->plan, l->host.cfg, l->host.st, &l->base.plan,
		err) != 0)
		return -1;
	if (!quick) {
		add_budgets(l);
		add_threads(l);
		add_chunks(l);
		add_others(l, engine);
	}
	add_together(l, engine);
	return fit(l, err);
}
