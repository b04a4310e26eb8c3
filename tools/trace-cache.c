/*
 * trace-cache.c - what caches of several policies and sizes would have hit
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/trace-cache.h"
#include "tools/trace.h"

static const char synopsis[] =
    "cache [-hqv] [-m DIR | --expert-bytes SIZE] [--disk RATE]\n"
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
    "  -q, --quiet        no progress\n"
    "      --size LIST    caches of these sizes, such as 1.5G,32G\n"
    "      --slots LIST   caches of so many experts (default: up to all)\n"
    "  -v, --verbose      progress, now and then\n";

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
	{ "quiet", no_argument, NULL, 'q' },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "slots", required_argument, NULL, OPT_SLOTS },
	{ "verbose", no_argument, NULL, 'v' },
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

	while ((c = tool_option(argc, argv, "hm:qv", longopts)) != -1) {
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
		case 'q':
			t->quiet = true;
			break;
		case OPT_SIZE:
		case OPT_SLOTS:
			if (t->value != NULL && t->in_bytes != (c == OPT_SIZE))
				tool_usage(synopsis);
			t->in_bytes = c == OPT_SIZE;
			trace_cache_list(t, optarg);
			break;
		case 'v':
			t->verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
	if (t->model != NULL && t->expert_bytes > 0)
		tool_usage(synopsis);
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
	tool_signal_init_report();
	trace_cache_model(&t);
	if (trace_input_open(&in, argv + optind, argc - optind, &err) != 0)
		tool_die(&err);
	t.shape = in.shape;
	trace_cache_sizes(&t, in.name);
	trace_input_watch(&in, t.quiet, t.verbose);
	trace_cache_replay(&t, &in);
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
