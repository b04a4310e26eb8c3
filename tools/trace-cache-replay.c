/*
 * trace-cache-replay.c - routes become the demands of caches
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tool.h"
#include "tools/trace-cache.h"

/* Demands of a visit that are held until it is over.  A dump may have more of
 * one layer, thousands of tokens at a time: what follows is another visit. */
#define VISIT ((size_t)1 << 20)

/* Where demands wait that belady must know of beforehand. */
static const char *
temporary(void)
{
	const char *dir = getenv("TMPDIR");

	if (dir != NULL && dir[0] != '\0')
		return dir;
	return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

static void
open_replays(struct trace_cache *t)
{
	struct k3_simcache_ask ask = { t->shape.layers, t->shape.experts,
		t->shape.topk, K3_SIM_LRU, t->slots, t->nslots, temporary() };
	struct k3_err err;

	for (size_t p = 0; p < t->npolicy; p++) {
		ask.policy = t->policy[p];
		t->sim[p] = k3_simcache_open(&ask, &err);
		if (t->sim[p] == NULL)
			tool_die(&err);
		t->counts[p] = calloc(t->nslots, sizeof(**t->counts));
		if (t->counts[p] != NULL)
			continue;
		k3_fail(&err, EX_OSERR, "cannot allocate the table");
		tool_die(&err);
	}
}

/* What is demanded in the layer that a pass has come to. */
struct visit {
	uint64_t pass, lines;
	uint32_t layer;
	uint64_t layer_lines; /* also those of visits before, by VISIT */
	uint64_t most;        /* of a layer of the pass: its tokens */
	uint32_t *list;       /* [VISIT] */
	size_t n;
	bool *picked; /* [experts]: by the lines of a stream; all false else */
	bool *seen;   /* [layers] */
};

static void
open_visit(struct visit *v, const struct trace_cache *t)
{
	struct k3_err err;

	memset(v, 0, sizeof(*v));
	v->list = malloc(VISIT * sizeof(*v->list));
	v->picked = calloc(t->shape.experts, sizeof(*v->picked));
	v->seen = calloc(t->shape.layers, sizeof(*v->seen));
	if (v->list != NULL && v->picked != NULL && v->seen != NULL)
		return;
	k3_fail(&err, EX_OSERR, "cannot allocate memory for a visit");
	tool_die(&err);
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The visit is over, if there was one. */
static void
end_visit(struct visit *v, const struct trace_cache *t, struct trace_input *in,
    bool dump)
{
	struct k3_err err;

	if (v->lines > 1 && !dump)
		qsort(v->list, v->n, sizeof(*v->list), compare);
	for (size_t p = 0; p < t->npolicy && v->lines > 0; p++)
		if (k3_simcache_visit(t->sim[p], v->layer, v->list, v->n,
			&err) != 0)
			trace_input_die(in, &err);
	for (size_t i = 0; i < v->n; i++)
		v->picked[v->list[i]] = false;
	v->n = v->lines = 0;
}

/* Lines of a layer may be missing: the one with most has all tokens. */
static void
end_pass(struct visit *v, struct trace_cache *t)
{
	t->tokens += v->most;
	v->most = v->layer_lines = 0;
}

/*
 * A line.  The engine demands each expert once, rising, for all tokens of the
 * pass; what made a dump asked for those of one token after the other.
 */
static void
add(struct visit *v, struct trace_cache *t, const struct k3_route *route,
    bool dump, const uint32_t *experts)
{
	if (route->pass != v->pass)
		end_pass(v, t);
	if (route->layer != v->layer)
		v->layer_lines = 0;
	v->pass = route->pass;
	v->layer = route->layer;
	v->lines++;
	v->layer_lines++;
	if (v->layer_lines > v->most)
		v->most = v->layer_lines;
	v->seen[v->layer] = true;
	for (uint32_t i = 0; i < route->n; i++) {
		if (!v->picked[experts[i]] || dump)
			v->list[v->n++] = experts[i];
		v->picked[experts[i]] = true;
	}
}

void
trace_cache_replay(struct trace_cache *t, struct trace_input *in)
{
	struct k3_route route;
	struct k3_err err;
	bool dump = false;
	struct visit v;
	int got;

	open_replays(t);
	open_visit(&v, t);
	while ((got = trace_input_next(in, &route, &err)) == 1) {
		const uint32_t *pairs = k3_routes_pairs(in->routes);

		if (t->kind != 0 && route.kind != t->kind)
			continue;
		if (route.pass != v.pass || route.layer != v.layer ||
		    v.n + route.n > VISIT)
			end_visit(&v, t, in, dump);
		dump = pairs != NULL;
		add(&v, t, &route, dump, dump ? pairs : route.expert);
	}
	if (got == -1)
		trace_input_die(in, &err);
	end_visit(&v, t, in, dump);
	end_pass(&v, t);
	for (size_t p = 0; p < t->npolicy; p++)
		if (k3_simcache_finish(t->sim[p], t->counts[p], &err) != 0)
			trace_input_die(in, &err);
	for (uint32_t l = 0; l < t->shape.layers; l++)
		t->all += v.seen[l] ? t->shape.experts : 0;
	free(v.list);
	free(v.picked);
	free(v.seen);
}
