/*
 * trace-cache.c - what caches of several policies and sizes would have hit
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tool.h"
#include "tools/trace-cache.h"
#include "tools/trace-input.h"
#include "tools/trace.h"

/* Demands of a visit that are held until it is over.  A dump may have more of
 * one layer, thousands of tokens at a time: what follows is another visit. */
#define VISIT ((size_t)1 << 20)

static const char synopsis[] =
    "cache [-h] [-m DIR | --expert-bytes SIZE] [--disk RATE]\n"
    "                      [--json] [--kind p|d] [--policy LIST]\n"
    "                      [--size LIST | --slots LIST] [file ...]";
static const char help[] =
    "      --disk RATE    GB/s that the disk reads, for seconds_a_token\n"
    "      --expert-bytes SIZE\n"
    "                     bytes of an expert, where there is no model\n"
    "  -h, --help         print this help\n"
    "      --json         all as JSON\n"
    "      --kind p|d     only passes of prompts, or of generated tokens\n"
    "  -m, --model DIR    the model, for its config.json (default: $K3_MODEL)\n"
    "      --policy LIST  of lru, lfu, own and belady (default: all)\n"
    "      --size LIST    caches of these sizes, such as 1.5G,32G\n"
    "      --slots LIST   caches of so many experts (default: up to all)\n";

enum {
	OPT_DISK = 256,
	OPT_EXPERT_BYTES,
	OPT_JSON,
	OPT_KIND,
	OPT_POLICY,
	OPT_SIZE,
	OPT_SLOTS,
};

static const struct option longopts[] = {
	{ "disk", required_argument, NULL, OPT_DISK },
	{ "expert-bytes", required_argument, NULL, OPT_EXPERT_BYTES },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "kind", required_argument, NULL, OPT_KIND },
	{ "model", required_argument, NULL, 'm' },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "slots", required_argument, NULL, OPT_SLOTS },
	{ NULL, 0, NULL, 0 },
};

static noreturn void
bad(const char *opt, const char *arg, const char *why)
{
	struct k3_err err;

	k3_fail(&err, EX_USAGE, "bad value '%s' for %s: %s", arg, opt, why);
	tool_die(&err);
}

static void
set_kind(struct trace_cache *t, const char *arg)
{
	if (strcmp(arg, "p") != 0 && strcmp(arg, "d") != 0)
		bad("--kind", arg, "not p or d");
	t->kind = arg[0];
}

static void
set_expert_bytes(struct trace_cache *t, const char *arg)
{
	t->expert_bytes = tool_size("--expert-bytes", arg);
	if (t->expert_bytes == 0 || t->expert_bytes > (uint64_t)1 << 40)
		bad("--expert-bytes", arg, "not from 1 to 1T");
}

static void
parse(struct trace_cache *t, int argc, char *argv[])
{
	int c;

	while ((c = getopt_long(argc, argv, "hm:", longopts, NULL)) != -1) {
		switch (c) {
		case OPT_DISK:
			t->disk = tool_rate("--disk", optarg);
			break;
		case OPT_EXPERT_BYTES:
			set_expert_bytes(t, optarg);
			break;
		case 'h':
			tool_help(synopsis, help);
		case OPT_JSON:
			t->json = true;
			break;
		case OPT_KIND:
			set_kind(t, optarg);
			break;
		case 'm':
			t->model = optarg;
			break;
		case OPT_POLICY:
			trace_cache_policies(t, optarg);
			break;
		case OPT_SIZE:
		case OPT_SLOTS:
			if (t->value != NULL && t->in_bytes != (c == OPT_SIZE))
				tool_usage(synopsis);
			t->in_bytes = c == OPT_SIZE;
			trace_cache_list(t, optarg);
			break;
		default:
			tool_usage(synopsis);
		}
	}
	if (t->model != NULL && t->expert_bytes > 0)
		tool_usage(synopsis);
}

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
	uint32_t first_layer; /* of the pass: its lines are the tokens */
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
end_visit(struct visit *v, const struct trace_cache *t, bool dump)
{
	struct k3_err err;

	if (v->lines > 1 && !dump)
		qsort(v->list, v->n, sizeof(*v->list), compare);
	for (size_t p = 0; p < t->npolicy && v->lines > 0; p++)
		if (k3_simcache_visit(t->sim[p], v->layer, v->list, v->n,
			&err) != 0)
			tool_die(&err);
	for (size_t i = 0; i < v->n; i++)
		v->picked[v->list[i]] = false;
	v->n = v->lines = 0;
}

/*
 * A line.  The engine demands each expert once, rising, for all tokens of the
 * pass; what made a dump asked for those of one token after the other.
 */
static void
add(struct visit *v, struct trace_cache *t, const struct k3_route *route,
    bool dump, const uint32_t *experts)
{
	if (t->tokens == 0 || route->pass != v->pass)
		v->first_layer = route->layer;
	v->pass = route->pass;
	v->layer = route->layer;
	v->lines++;
	v->seen[v->layer] = true;
	t->tokens += route->layer == v->first_layer;
	for (uint32_t i = 0; i < route->n; i++) {
		if (!v->picked[experts[i]] || dump)
			v->list[v->n++] = experts[i];
		v->picked[experts[i]] = true;
	}
}

static void
replay(struct trace_cache *t, struct trace_input *in)
{
	struct k3_route route;
	struct k3_err err;
	bool dump = false;
	struct visit v;
	int got;

	open_visit(&v, t);
	while ((got = trace_input_next(in, &route, &err)) == 1) {
		const uint32_t *pairs = k3_routes_pairs(in->routes);

		if (t->kind != 0 && route.kind != t->kind)
			continue;
		if (route.pass != v.pass || route.layer != v.layer ||
		    v.n + route.n > VISIT)
			end_visit(&v, t, dump);
		dump = pairs != NULL;
		add(&v, t, &route, dump, dump ? pairs : route.expert);
	}
	if (got == -1)
		tool_die(&err);
	end_visit(&v, t, dump);
	for (size_t p = 0; p < t->npolicy; p++)
		if (k3_simcache_finish(t->sim[p], t->counts[p], &err) != 0)
			tool_die(&err);
	for (uint32_t l = 0; l < t->shape.layers; l++)
		t->all += v.seen[l] ? t->shape.experts : 0;
	free(v.list);
	free(v.picked);
	free(v.seen);
}

int
trace_cache(int argc, char *argv[])
{
	struct trace_cache t = { .policy = { K3_SIM_LRU, K3_SIM_LFU, K3_SIM_OWN,
				     K3_SIM_BELADY },
		.npolicy = TRACE_CACHE_POLICIES };
	struct trace_input in;
	struct k3_err err;

	parse(&t, argc, argv);
	trace_cache_model(&t);
	if (trace_input_open(&in, argv + optind, argc - optind, &err) != 0)
		tool_die(&err);
	t.shape = in.shape;
	trace_cache_sizes(&t, in.name);
	open_replays(&t);
	replay(&t, &in);
	trace_input_close(&in);
	trace_cache_print(&t);
	for (size_t p = 0; p < t.npolicy; p++) {
		k3_simcache_close(t.sim[p]);
		free(t.counts[p]);
	}
	free(t.slots);
	free(t.value);
	return tool_finish();
}
