/*
 * trace-split.c - how to divide memory, and what a token then costs
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu.h"
#include "common/measure.h"
#include "common/par.h"
#include "tools/tool-index.h"
#include "tools/tool-speed.h"
#include "tools/tool.h"
#include "tools/trace-split.h"
#include "tools/trace.h"

static const char synopsis[] =
    "split [-hqV] [-j N] [-m DIR] [-n N] [-r LIST]\n"
    "                      [--compute RATE] [--context N]\n"
    "                      [--disk RATE | FILE] [--json] [--memory RATE]\n"
    "                      [--prompt N] [--trunk-disk RATE] [report ...]";
static const char help[] =
    "      --compute RATE    10^9 operations a second for many tokens\n"
    "                        (default: measured)\n"
    "      --context N       positions that the sequence can have\n"
    "      --disk RATE|FILE  GB/s that the disk reads, or a file of k3-trace\n"
    "                        disk\n"
    "  -h, --help            print this help\n"
    "  -j, --threads N       threads (default: one a core)\n"
    "      --json            as JSON\n"
    "      --memory RATE     GB/s of weights for one token (default: "
    "measured)\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -n, --count N         tokens to follow the prompt (default 64)\n"
    "      --prompt N        tokens of the prompt (default 1024)\n"
    "  -q, --quiet           no notes\n"
    "  -r, --ram LIST        budgets, separated by commas\n"
    "                        (default 8G,16G,32G,64G,128G,256G)\n"
    "      --trunk-disk RATE GB/s that the disk reads of the trunk, if others\n"
    "  -V, --version         print the version\n";

enum {
	OPT_COMPUTE = 256,
	OPT_CONTEXT,
	OPT_DISK,
	OPT_JSON,
	OPT_MEMORY,
	OPT_PROMPT,
	OPT_TRUNK_DISK,
};

static const struct option longopts[] = {
	{ "compute", required_argument, NULL, OPT_COMPUTE },
	{ "context", required_argument, NULL, OPT_CONTEXT },
	{ "disk", required_argument, NULL, OPT_DISK },
	{ "help", no_argument, NULL, 'h' },
	{ "threads", required_argument, NULL, 'j' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "memory", required_argument, NULL, OPT_MEMORY },
	{ "model", required_argument, NULL, 'm' },
	{ "count", required_argument, NULL, 'n' },
	{ "prompt", required_argument, NULL, OPT_PROMPT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "ram", required_argument, NULL, 'r' },
	{ "trunk-disk", required_argument, NULL, OPT_TRUNK_DISK },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* Budgets with commas between them, in place of those so far. */
static void
set_budgets(struct split_options *o, char *list)
{
	struct k3_err err;
	char *word;

	o->nram = 0;
	free(o->ram);
	/* Of each two bytes one can be a word. */
	o->ram = calloc(strlen(list) / 2 + 1, sizeof(*o->ram));
	if (o->ram == NULL) {
		k3_fail(&err, EX_OSERR, "cannot read '--ram': out of memory");
		tool_die(&err);
	}
	while ((word = strsep(&list, ",")) != NULL)
		o->ram[o->nram++] = tool_size("--ram", word);
}

/* Those with a value; the trunk's own rate is kept until all are known. */
static bool
set_valued(struct split_options *o, int c, char *arg, double *trunk)
{
	uint32_t most = UINT32_MAX;

	switch (c) {
	case OPT_COMPUTE:
		o->speed.flops = tool_giga("--compute", arg, "GFLOP/s");
		return true;
	case OPT_CONTEXT:
		o->context = (uint32_t)tool_number("--context", arg, 1, most);
		return true;
	case OPT_DISK:
		tool_speed_disk("--disk", arg, &o->speed);
		return true;
	case 'j':
		o->threads =
		    (unsigned)tool_number("--threads", arg, 1, K3_MAX_THREADS);
		return true;
	case OPT_MEMORY:
		o->speed.memory = tool_rate("--memory", arg);
		return true;
	case 'm':
		o->model = arg;
		return true;
	case 'n':
		o->count = (double)tool_number("--count", arg, 1, most);
		return true;
	case OPT_PROMPT:
		o->prompt = (double)tool_number("--prompt", arg, 0, most);
		return true;
	case 'r':
		set_budgets(o, arg);
		return true;
	case OPT_TRUNK_DISK:
		*trunk = tool_rate("--trunk-disk", arg);
		return true;
	default:
		return false;
	}
}

static void
parse(struct split_options *o, int argc, char *argv[])
{
	char usual[] = "8G,16G,32G,64G,128G,256G";
	double trunk = 0;
	int c;

	set_budgets(o, usual);

	while ((c = tool_option(argc, argv, "hj:m:n:qr:V", longopts)) != -1) {
		if (set_valued(o, c, optarg, &trunk))
			continue;
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case OPT_JSON:
			o->json = true;
			break;
		case 'q':
			tool_quiet();
			break;
		case 'V':
			tool_version();
		default:
			tool_usage(synopsis);
		}
	}
	if (trunk > 0 && o->speed.experts <= 0)
		tool_usage(synopsis);
	if (trunk > 0)
		o->speed.trunk = trunk;
}

/* A rate that nobody has given is measured, or of the disk, assumed. */
static void
complete(struct split_options *o)
{
	struct k3_speed here = { 0 };
	struct k3_err err;

	if (o->speed.experts <= 0) {
		o->speed.trunk = o->speed.experts = 3e9;
		tool_note("no --disk: taken to read 3 GB/s");
	}
	if (o->speed.memory > 0 && o->speed.flops > 0)
		return;
	if (k3_measure(&here, o->threads, k3_cpu_best(), &err) != 0)
		tool_die(&err);
	if (o->speed.memory <= 0)
		o->speed.memory = here.memory;
	if (o->speed.flops <= 0)
		o->speed.flops = here.flops;
	tool_note("compute: %.3g GB/s of weights, %.3g GFLOP/s",
	    o->speed.memory / 1e9, o->speed.flops / 1e9);
}

static void
print_row(const struct split_row *r)
{
	printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32
	       "\t%.4f\t%.4f\t%.0f\t%.0f\t%.6g\t%.6g\t%d\n",
	    r->ram, r->trunk, r->cache, r->ring, r->chunk, r->pinned, r->hits,
	    r->token.trunk, r->token.experts, r->token.seconds,
	    r->prompt.seconds, r->best);
}

static struct k3_json *
json_row(const struct split_row *r)
{
	return k3_json_pack("{s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:I,s:I,s:f,s:f,s:b}",
	    "ram", (int64_t)r->ram, "trunk", (int64_t)r->trunk, "cache",
	    (int64_t)r->cache, "ring", (int64_t)r->ring, "chunk",
	    (int64_t)r->chunk, "pinned_share", r->pinned, "hits", r->hits,
	    "trunk_bytes_a_token", (int64_t)r->token.trunk,
	    "expert_bytes_a_token", (int64_t)r->token.experts,
	    "seconds_a_token", r->token.seconds, "prompt_seconds",
	    r->prompt.seconds, "best", r->best);
}

static const char names[] =
    "ram\ttrunk\tcache\tring\tchunk\tpinned_share\thits\t"
    "trunk_bytes_a_token\texpert_bytes_a_token\tseconds_a_token\t"
    "prompt_seconds\tbest";

static void
print(const struct split_options *o, const struct k3_cfg *cfg,
    const struct k3_st *st)
{
	struct split_row row[SPLIT_ROWS];
	struct k3_json *rows = k3_json_pack("[]");
	struct k3_err err;

	for (size_t r = 0; r < o->nram; r++) {
		size_t n = split_curve(o, cfg, st, o->ram[r], row);

		if (!o->json && r == 0)
			puts(names);
		for (size_t i = 0; i < n; i++)
			if (o->json)
				rows = k3_json_push(rows, json_row(&row[i]));
			else
				print_row(&row[i]);
	}
	if (!o->json) {
		k3_json_free(rows);
		return;
	}
	rows = k3_json_pack("{s:f,s:f,s:f,s:f,s:o}", "trunk_disk",
	    o->speed.trunk, "expert_disk", o->speed.experts, "memory",
	    o->speed.memory, "compute", o->speed.flops, "rows", rows);
	if (k3_json_write(rows, true, stdout, "<stdout>", &err) != 0)
		tool_die(&err);
	putchar('\n');
}

/* What a model's sizes and these rates come to, for each budget. */
static void
forecast(struct split_options *o)
{
	static struct k3_cfg cfg;
	const char *model = tool_model(o->model);
	struct k3_st *st;
	struct k3_err err;

	if (k3_cfg_load(&cfg, model, &err) != 0)
		tool_die(&err);
	st = tool_index(model, &cfg);
	complete(o);
	print(o, &cfg, st);
	k3_st_close(st);
}

int
trace_split(int argc, char *argv[])
{
	struct split_options o = { .count = 64,
		.prompt = 1024,
		.threads = k3_par_default() };
	struct k3_err err;

	parse(&o, argc, argv);
	if (optind < argc && (o.speed.memory > 0) != (o.speed.flops > 0)) {
		k3_fail(&err, EX_USAGE,
		    "of runs, --compute and --memory are both given or none");
		tool_die(&err);
	}
	if (optind < argc)
		split_runs(&o, argc - optind, argv + optind);
	else
		forecast(&o);
	free(o.ram);
	return tool_finish();
}
