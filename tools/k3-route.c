/*
 * k3-route.c - which experts tokens go to, and what is read for them
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tools/route.h"
#include "tools/tool-index.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

static const char synopsis[] =
    "[-hqVv] [-j N] [-m DIR] [-p NAME] [-r SIZE] [-t DIR]\n"
    "                [--cache-ram SIZE] [--chunk N] [--context N]\n"
    "                [--cpu LEVEL] [--io ENGINE] [--io-timeout SECONDS]\n"
    "                [--trunk-ram SIZE] [file]\n"
    "       k3-route --hidden DIR [-qv] [-j N] [-m DIR] [--cpu LEVEL]\n"
    "                [--lookahead N]\n"
    "       k3-route --reads [-qv] [-m DIR] [file]";
static const char help[] =
    "      --cache-ram SIZE  memory for the cache of routed experts\n"
    "      --chunk N         tokens of a prompt that go through together\n"
    "      --context N       positions that a sequence can have\n"
    "      --cpu LEVEL       scalar, avx2, avx512 or neon (default: the best)\n"
    "  -h, --help            print this help\n"
    "      --hidden DIR      route dumped hidden states instead of IDs\n"
    "      --io ENGINE       aio or pread (default: aio where it works)\n"
    "      --io-timeout SECONDS\n"
    "                        give up on a read after so long (default 60)\n"
    "  -j, --threads N       threads (default: one a core)\n"
    "      --lookahead N     with --hidden: N experts of the next layer\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -p, --preset NAME     memory for trunk and cache (default auto)\n"
    "  -q, --quiet           no notes and no progress\n"
    "  -r, --ram SIZE        cap on all memory\n"
    "      --reads           routes in, the reads for them out\n"
    "  -t, --trunk DIR       packed trunk (default: trunk/ in the model, if "
    "any)\n"
    "      --trunk-ram SIZE  memory for the dense layers\n"
    "  -V, --version         print the version\n"
    "  -v, --verbose         progress also without a terminal\n";

enum {
	OPT_HIDDEN = TOOL_OWN,
	OPT_LOOKAHEAD,
	OPT_READS,
};

static const struct option longopts[] = {
	{ "cache-ram", required_argument, NULL, TOOL_CACHE_RAM },
	{ "chunk", required_argument, NULL, TOOL_CHUNK },
	{ "context", required_argument, NULL, TOOL_CONTEXT },
	{ "cpu", required_argument, NULL, TOOL_CPU },
	{ "help", no_argument, NULL, 'h' },
	{ "hidden", required_argument, NULL, OPT_HIDDEN },
	{ "io", required_argument, NULL, TOOL_IO },
	{ "io-timeout", required_argument, NULL, TOOL_IO_TIMEOUT },
	{ "threads", required_argument, NULL, 'j' },
	{ "lookahead", required_argument, NULL, OPT_LOOKAHEAD },
	{ "model", required_argument, NULL, 'm' },
	{ "preset", required_argument, NULL, 'p' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "ram", required_argument, NULL, 'r' },
	{ "reads", no_argument, NULL, OPT_READS },
	{ "trunk", required_argument, NULL, 't' },
	{ "trunk-ram", required_argument, NULL, TOOL_TRUNK_RAM },
	{ "version", no_argument, NULL, 'V' },
	{ "verbose", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

/* Does it matter only where the layers are run? */
static bool
runs(int c)
{
	return c == 'p' || c == 'r' || c == 't' || c == TOOL_CACHE_RAM ||
	       c == TOOL_CHUNK || c == TOOL_CONTEXT || c == TOOL_IO ||
	       c == TOOL_IO_TIMEOUT || c == TOOL_TRUNK_RAM;
}

/* Or only where something is computed? */
static bool
computes(int c)
{
	return c == 'j' || c == TOOL_CPU;
}

static void
options(struct route *r, int argc, char *argv[])
{
	int c;

	tool_engine_init(&r->engine);
	while (
	    (c = tool_option(argc, argv, "hj:m:p:qr:t:Vv", longopts)) != -1) {
		r->memory |= runs(c);
		r->compute |= computes(c);
		if (tool_engine_option(&r->engine, c, optarg))
			continue;
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case OPT_HIDDEN:
			r->hidden = optarg;
			break;
		case OPT_LOOKAHEAD:
			r->lookahead = (uint32_t)tool_number("--lookahead",
			    optarg, 1, 1024);
			break;
		case 'q':
			r->quiet = true;
			tool_quiet();
			break;
		case OPT_READS:
			r->reads = true;
			break;
		case 'V':
			tool_version();
		default:
			tool_usage(synopsis);
		}
	}
	r->input = argv[optind];
	if (argc - optind > 1 || (r->hidden != NULL && r->input != NULL) ||
	    (r->hidden == NULL && r->lookahead > 0) ||
	    (r->hidden != NULL && r->reads) || (r->compute && r->reads) ||
	    (r->memory && (r->hidden != NULL || r->reads)))
		tool_usage(synopsis);
}

int
route_flush(struct k3_err *err)
{
	if (fflush(stdout) == 0)
		return 0;
	return k3_fail_errno(err, EX_IOERR, "cannot write '<stdout>'");
}

int
main(int argc, char *argv[])
{
	static struct route r;
	struct k3_err err;
	int got;

	tool_init(argv[0]);
	options(&r, argc, argv);
	tool_signal_init_report();
	tool_engine_config(&r.engine, &r.cfg);
	r.st = r.reads ? tool_index(r.engine.dir, &r.cfg)
		       : k3_st_open(r.engine.dir, &r.cfg, &err);
	if (r.st == NULL)
		tool_die(&err);
	/* Where nothing is computed, no signal has to wait. */
	if (!r.reads && r.hidden == NULL)
		tool_signal_init();
	if (r.hidden != NULL)
		got = route_hidden(&r, &err);
	else
		got = (r.reads ? route_reads : route_ids)(&r, &err);
	tool_progress_clear(&r.progress);
	/* What was asked to stop has whole lines to push on. */
	if (tool_signal_stop()) {
		fflush(stdout);
		tool_signal_die();
	}
	if (got != 0)
		tool_die(&err);
	return tool_finish();
}
