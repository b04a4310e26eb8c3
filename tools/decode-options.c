/*
 * decode-options.c - the command line of k3-decode
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/decode.h"
#include "tools/tool-speed.h"
#include "tools/tool.h"

static const char synopsis[] =
    "[-ehqVv] [-j N] [-m DIR] [-n N] [-p NAME] [-R FILE]\n"
    "                 [-r SIZE] [-t DIR] [--cache-ram SIZE] [--chunk N]\n"
    "                 [--context N] [--cpu LEVEL] [--hidden DIR]\n"
    "                 [--io ENGINE] [--io-timeout SECONDS] [--load FILE]\n"
    "                 [--logits FILE] [--lookahead N] [--route FILE]\n"
    "                 [--save FILE [--autosave MIN]] [--stop IDS]\n"
    "                 [--trunk-ram SIZE] [--plan[=N] [--compute RATE]\n"
    "                 [--disk RATE | FILE] [--json] [--memory RATE]] [file]\n"
    "       k3-decode --list-presets";
static const char help[] =
    "      --autosave MIN    with --save: also every so many minutes\n"
    "      --cache-ram SIZE  memory for the cache of routed experts\n"
    "      --chunk N         tokens of a prompt that go through together\n"
    "      --compute RATE    with --plan: 10^9 operations a second\n"
    "      --context N       positions that a sequence can have\n"
    "      --cpu LEVEL       scalar, avx2, avx512 or neon (default: the best)\n"
    "      --disk RATE|FILE  with --plan: GB/s that the disk reads, or a file "
    "of\n"
    "                        k3-trace disk\n"
    "  -e, --echo            write the prompt's IDs too\n"
    "  -h, --help            print this help\n"
    "      --hidden DIR      dump the first prompt's hidden states\n"
    "      --io ENGINE       aio or pread (default: aio where it works)\n"
    "      --io-timeout SECONDS\n"
    "                        give up on a read after so long (default 60)\n"
    "  -j, --threads N       threads (default: one a core)\n"
    "      --json            with --plan: as JSON\n"
    "      --list-presets    print the presets\n"
    "      --load FILE       go on with a session\n"
    "      --logits FILE     dump the logits of each generated ID\n"
    "      --lookahead N     read N experts of the next layer on a guess\n"
    "      --memory RATE     with --plan: GB/s of weights that the memory "
    "gives\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -n, --count N         generate N IDs at most (default 64)\n"
    "      --plan[=N]        print the plan, with a prompt of N tokens; stop\n"
    "  -p, --preset NAME     memory for trunk and cache (default auto)\n"
    "  -q, --quiet           no notes and no progress\n"
    "  -R, --report FILE     write a run report\n"
    "  -r, --ram SIZE        cap on all memory\n"
    "      --route FILE      write the experts that each token went to\n"
    "      --save FILE       keep the last sequence as a session\n"
    "      --stop IDS        stop after one of these, or none (default: eos)\n"
    "  -t, --trunk DIR       packed trunk (default: trunk/ in the model, if "
    "any)\n"
    "      --trunk-ram SIZE  memory for the dense layers\n"
    "  -V, --version         print the version\n"
    "  -v, --verbose         progress also without a terminal\n";

enum {
	OPT_AUTOSAVE = TOOL_OWN,
	OPT_COMPUTE,
	OPT_DISK,
	OPT_HIDDEN,
	OPT_JSON,
	OPT_LIST_PRESETS,
	OPT_LOAD,
	OPT_LOGITS,
	OPT_LOOKAHEAD,
	OPT_MEMORY,
	OPT_PLAN,
	OPT_ROUTE,
	OPT_SAVE,
	OPT_STOP,
};

static const struct option longopts[] = {
	{ "autosave", required_argument, NULL, OPT_AUTOSAVE },
	{ "cache-ram", required_argument, NULL, TOOL_CACHE_RAM },
	{ "chunk", required_argument, NULL, TOOL_CHUNK },
	{ "compute", required_argument, NULL, OPT_COMPUTE },
	{ "context", required_argument, NULL, TOOL_CONTEXT },
	{ "cpu", required_argument, NULL, TOOL_CPU },
	{ "disk", required_argument, NULL, OPT_DISK },
	{ "echo", no_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },
	{ "hidden", required_argument, NULL, OPT_HIDDEN },
	{ "threads", required_argument, NULL, 'j' },
	{ "io", required_argument, NULL, TOOL_IO },
	{ "io-timeout", required_argument, NULL, TOOL_IO_TIMEOUT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "list-presets", no_argument, NULL, OPT_LIST_PRESETS },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "logits", required_argument, NULL, OPT_LOGITS },
	{ "lookahead", required_argument, NULL, OPT_LOOKAHEAD },
	{ "memory", required_argument, NULL, OPT_MEMORY },
	{ "model", required_argument, NULL, 'm' },
	{ "count", required_argument, NULL, 'n' },
	{ "plan", optional_argument, NULL, OPT_PLAN },
	{ "preset", required_argument, NULL, 'p' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "report", required_argument, NULL, 'R' },
	{ "ram", required_argument, NULL, 'r' },
	{ "route", required_argument, NULL, OPT_ROUTE },
	{ "save", required_argument, NULL, OPT_SAVE },
	{ "stop", required_argument, NULL, OPT_STOP },
	{ "trunk", required_argument, NULL, 't' },
	{ "trunk-ram", required_argument, NULL, TOOL_TRUNK_RAM },
	{ "version", no_argument, NULL, 'V' },
	{ "verbose", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

/* Its own whose argument is a word or a number; false for others. */
static bool
set_valued(struct decode_options *o, int c, char *arg)
{
	uint32_t most = UINT32_MAX;

	switch (c) {
	case OPT_AUTOSAVE:
		o->autosave = tool_minutes("--autosave", arg);
		return true;
	case OPT_COMPUTE:
		o->speed.flops = tool_giga("--compute", arg, "GFLOP/s");
		return true;
	case OPT_DISK:
		tool_speed_disk("--disk", arg, &o->speed);
		return true;
	case OPT_HIDDEN:
		o->hidden = arg;
		return true;
	case OPT_LOAD:
		o->load = arg;
		return true;
	case OPT_LOGITS:
		o->logits = arg;
		return true;
	case OPT_LOOKAHEAD:
		o->lookahead =
		    (uint32_t)tool_number("--lookahead", arg, 0, 1024);
		return true;
	case OPT_MEMORY:
		o->speed.memory = tool_rate("--memory", arg);
		return true;
	case 'n':
		o->count = tool_number("--count", arg, 0, most);
		o->counted = true;
		return true;
	case OPT_PLAN:
		o->plan = true;
		if (arg != NULL)
			o->prompt = tool_number("--plan", arg, 1, most);
		return true;
	case 'R':
		o->report = arg;
		return true;
	case OPT_ROUTE:
		o->route = arg;
		return true;
	case OPT_SAVE:
		o->save = arg;
		return true;
	case OPT_STOP:
		o->stop = arg;
		return true;
	default:
		return false;
	}
}

/* Is there an option that only a plan has? */
static bool
for_plan(const struct decode_options *o)
{
	return o->json || o->speed.experts > 0 || o->speed.memory > 0 ||
	       o->speed.flops > 0;
}

/* A prompt that was partly run has no hidden states to show any more. */
static bool
for_sessions(const struct decode_options *o)
{
	if (o->load != NULL && (o->plan || o->hidden != NULL))
		return false;
	return o->autosave == 0 || o->save != NULL;
}

void
decode_options(struct decode_options *o, int argc, char *argv[])
{
	int c;

	memset(o, 0, sizeof(*o));
	tool_engine_init(&o->engine);
	o->count = 64;
	o->argc = argc;
	o->argv = argv;

	while ((c = tool_option(argc, argv, "ehj:m:n:p:qR:r:t:Vv", longopts)) !=
	       -1) {
		if (tool_engine_option(&o->engine, c, optarg) ||
		    set_valued(o, c, optarg))
			continue;
		switch (c) {
		case 'e':
			o->echo = true;
			break;
		case 'h':
			tool_help(synopsis, help);
		case OPT_JSON:
			o->json = true;
			break;
		case OPT_LIST_PRESETS:
			tool_memory_presets();
			exit(tool_finish());
		case 'q':
			o->quiet = true;
			tool_quiet();
			break;
		case 'V':
			tool_version();
		default:
			tool_usage(synopsis);
		}
	}
	if (argc - optind > 1 || (!o->plan && for_plan(o)) || !for_sessions(o))
		tool_usage(synopsis);
	o->input = argv[optind];
}
