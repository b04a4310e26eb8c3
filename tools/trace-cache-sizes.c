/*
 * trace-cache-sizes.c - which policies and sizes k3-trace cache replays
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cfg.h"
#include "tools/tool.h"
#include "tools/trace-cache.h"

/* Powers of two in the default, at most. */
#define LADDER 10

static const char *const policies[TRACE_CACHE_POLICIES] = { "lru", "lfu", "own",
	"belady" };

const char *
trace_cache_policy(enum k3_sim_policy policy)
{
	return policies[policy];
}

static void
add_policy(struct trace_cache *t, const char *name)
{
	struct k3_err err;
	unsigned p = 0;

	while (p < TRACE_CACHE_POLICIES && strcmp(policies[p], name) != 0)
		p++;
	if (p == TRACE_CACHE_POLICIES) {
		k3_fail(&err, EX_USAGE,
		    "bad value '%s' for --policy: not lru, lfu, own or belady",
		    name);
		tool_die(&err);
	}
	for (size_t i = 0; i < t->npolicy; i++)
		if (t->policy[i] == (enum k3_sim_policy)p)
			return;
	t->policy[t->npolicy++] = (enum k3_sim_policy)p;
}

void
trace_cache_policies(struct trace_cache *t, char *arg)
{
	char *item;

	t->npolicy = 0;
	while ((item = strsep(&arg, ",")) != NULL)
		add_policy(t, item);
}

static void *
make_room(size_t n, size_t size)
{
	void *p = calloc(n, size);
	struct k3_err err;

	if (p != NULL)
		return p;
	k3_fail(&err, EX_OSERR, "cannot allocate the list of sizes");
	tool_die(&err);
}

void
trace_cache_list(struct trace_cache *t, char *arg)
{
	size_t n = 1;
	char *item;

	for (const char *p = arg; *p != '\0'; p++)
		n += *p == ',';
	free(t->value);
	t->value = make_room(n, sizeof(*t->value));
	t->nslots = 0;
	while ((item = strsep(&arg, ",")) != NULL)
		t->value[t->nslots++] =
		    t->in_bytes ? tool_size("--size", item)
				: tool_number("--slots", item, 0, UINT32_MAX);
}

void
trace_cache_model(struct trace_cache *t)
{
	const char *wants = t->in_bytes ? "--size" : "--disk";
	struct k3_err err;

	if (t->expert_bytes > 0)
		return;
	if (t->model == NULL) {
		t->model = getenv("K3_MODEL");
		if (t->model != NULL && t->model[0] == '\0')
			t->model = NULL;
	}
	if (t->model != NULL || !(t->in_bytes || t->disk > 0))
		return;
	k3_fail(&err, EX_USAGE,
	    "%s needs the bytes of an expert: give --model or --expert-bytes",
	    wants);
	tool_die(&err);
}

/* The model's, which must be the one that the routes are of. */
static uint64_t
model_bytes(const struct trace_cache *t, const char *name)
{
	static struct k3_cfg cfg;
	struct k3_routes_shape shape;
	struct k3_err err, why;

	if (k3_cfg_load(&cfg, t->model, &err) != 0)
		tool_die(&err);
	shape = (struct k3_routes_shape){ cfg.nlayer, cfg.experts, cfg.topk };
	if (k3_routes_same_shape(name, &t->shape, t->model, &shape, &why) == 0)
		return k3_cfg_expert_bytes(&cfg);
	k3_fail(&err, EX_DATAERR, "%s: give another --model or --expert-bytes",
	    why.msg);
	tool_die(&err);
}

/* The largest powers of two below all experts, and all. */
static void
ladder(struct trace_cache *t)
{
	uint64_t all = (uint64_t)t->shape.layers * t->shape.experts;
	uint64_t first = 1;

	while (first << LADDER < all)
		first *= 2;
	t->ladder = true;
	t->slots = make_room(LADDER + 1, sizeof(*t->slots));
	for (; first < all; first *= 2)
		t->slots[t->nslots++] = (uint32_t)first;
	t->slots[t->nslots++] = (uint32_t)all;
}

/* Will a replay take so many? */
static void
check_keys(const struct k3_routes_shape *shape, const char *name)
{
	uint64_t all = (uint64_t)shape->layers * shape->experts;
	struct k3_err err;

	if (all <= K3_SIM_KEYS)
		return;
	k3_fail(&err, EX_DATAERR,
	    "'%s' line 1: %" PRIu32 " layers of %" PRIu32
	    " experts: more than %u together",
	    name, shape->layers, shape->experts, K3_SIM_KEYS);
	tool_die(&err);
}

void
trace_cache_sizes(struct trace_cache *t, const char *name)
{
	check_keys(&t->shape, name);
	if (t->model != NULL)
		t->expert_bytes = model_bytes(t, name);
	if (t->value == NULL) {
		ladder(t);
		return;
	}
	t->slots = make_room(t->nslots, sizeof(*t->slots));
	for (size_t i = 0; i < t->nslots; i++) {
		uint64_t n = t->value[i] / (t->in_bytes ? t->expert_bytes : 1);

		t->slots[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	}
}
