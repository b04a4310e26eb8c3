/*
 * verify-same.c - k3-verify same: one prompt, run in many ways
 */
#include <getopt.h>
#include <stdio.h>

#include "tools/tool.h"
#include "tools/verify-climb.h"
#include "tools/verify.h"

static const char synopsis[] =
    "same [-hqVv] [-j N] [-m DIR] [-n N] [-p NAME] [-r SIZE]\n"
    "                 [-t DIR] [--budget SECONDS] [--cache-ram SIZE]\n"
    "                 [--chunk N] [--cpu LEVEL] [--disk RATE | FILE]\n"
    "                 [--io ENGINE] [--io-timeout SECONDS] [--json] [--plan]\n"
    "                 [--quick] [--trunk-ram SIZE] [file]";
static const char help[] =
    "      --budget SECONDS  begin with no other way after so long\n"
    "      --cache-ram SIZE  memory for the cache of routed experts\n"
    "      --chunk N         tokens of a prompt that go through together\n"
    "  -n, --count N         IDs to generate (default 8)\n"
    "      --cpu LEVEL       scalar, avx2, avx512 or neon (default: the best)\n"
    "      --disk RATE|FILE  with --plan: GB/s that the disk reads, or a file "
    "of\n"
    "                        k3-trace disk --json (default 3)\n"
    "  -h, --help            print this help\n"
    "      --io ENGINE       aio or pread (default: aio where it works)\n"
    "      --io-timeout SECONDS\n"
    "                        give up on a read after so long (default 60)\n"
    "  -j, --threads N       threads (default: one a core)\n"
    "      --json            print an object instead\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -p, --preset NAME     memory for trunk and cache (default auto)\n"
    "      --plan            print what would be run, and stop\n"
    "      --quick           two runs only: the usual, and all else at once\n"
    "  -q, --quiet           no notes and no progress\n"
    "  -r, --ram SIZE        cap on all memory\n"
    "  -t, --trunk DIR       packed trunk (default: trunk/ in the model, if "
    "any)\n"
    "      --trunk-ram SIZE  memory for the dense layers\n"
    "  -V, --version         print the version\n"
    "  -v, --verbose         progress also without a terminal\n";

static const struct option longopts[] = {
	{ "budget", required_argument, NULL, CLIMB_BUDGET },
	{ "cache-ram", required_argument, NULL, TOOL_CACHE_RAM },
	{ "chunk", required_argument, NULL, TOOL_CHUNK },
	{ "count", required_argument, NULL, 'n' },
	{ "cpu", required_argument, NULL, TOOL_CPU },
	{ "disk", required_argument, NULL, CLIMB_DISK },
	{ "help", no_argument, NULL, 'h' },
	{ "io", required_argument, NULL, TOOL_IO },
	{ "io-timeout", required_argument, NULL, TOOL_IO_TIMEOUT },
	{ "json", no_argument, NULL, CLIMB_JSON },
	{ "model", required_argument, NULL, 'm' },
	{ "plan", no_argument, NULL, CLIMB_PLAN },
	{ "preset", required_argument, NULL, 'p' },
	{ "quick", no_argument, NULL, CLIMB_QUICK },
	{ "quiet", no_argument, NULL, 'q' },
	{ "ram", required_argument, NULL, 'r' },
	{ "threads", required_argument, NULL, 'j' },
	{ "trunk", required_argument, NULL, 't' },
	{ "trunk-ram", required_argument, NULL, TOOL_TRUNK_RAM },
	{ "version", no_argument, NULL, 'V' },
	{ "verbose", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

int
verify_same(int argc, char *argv[])
{
	static const char letters[] = "hj:m:n:p:qr:t:Vv";
	static struct climb c;
	struct k3_err err;
	int opt;

	climb_init(&c);
	while ((opt = tool_option(argc, argv, letters, longopts)) != -1) {
		if (opt == 'h')
			tool_help(synopsis, help);
		else if (opt == 'V')
			tool_version();
		else if (!climb_option(&c, opt, optarg))
			tool_usage(synopsis);
	}
	if (argc - optind > 1 || !climb_agrees(&c))
		tool_usage(synopsis);
	climb_open(&c);
	climb_prompt(&c, argv[optind]);
	climb_begin(&c, 1, (uint32_t)c.prompt.n, 1, 0);
	if (c.plan) {
		climb_plan(&c, NULL, 0);
		climb_close(&c);
		return tool_finish();
	}
	if (replay_way(&c.ladder.host, &c.ladder.base, &c.ladder.prompt,
		c.ladder.step, &err) != 0 ||
	    ladder_climb(&c.ladder, &err) != 0)
		climb_die(&c, &err);
	return climb_end(&c);
}
