/*
 * verify-checkpoint.c - k3-verify checkpoint: a model's files
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/st.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify.h"

static const char synopsis[] = "checkpoint [-hqVv] [-m DIR] [DIR]";
static const char help[] =
    "  -h, --help            print this help\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -q, --quiet           no progress and no notes\n"
    "  -V, --version         print the version\n"
    "  -v, --verbose         each tensor that nobody needs\n";

struct survey {
	struct verify *v;
	uint64_t unneeded;
};

static void
on_wrong(void *arg, const struct k3_err *err)
{
	struct survey *s = arg;

	verify_found(s->v, err);
}

static void
on_unneeded(void *arg, const char *path, const char *tensor)
{
	struct survey *s = arg;
	struct k3_err line;

	s->unneeded++;
	if (!s->v->verbose)
		return;
	k3_fail(&line, EX_OK, "'%s' tensor '%s': nobody needs it", path,
	    tensor);
	puts(line.msg);
}

/* Headers, all of them; what they say in sum is the last line. */
static void
structure(struct verify *v)
{
	struct survey s = { .v = v };
	const struct k3_st_watch watch = { &s, on_wrong, on_unneeded };
	struct k3_cfg cfg;
	struct k3_err err;
	struct k3_st *st;

	if (k3_cfg_load(&cfg, v->model, &err) != 0 ||
	    (st = k3_st_survey(v->model, &cfg, &watch, &err)) == NULL)
		verify_die(v, &err);
	k3_fail(&err, EX_OK,
	    "'%s': files %u, bytes %" PRIu64 ", tensors %" PRIu64
	    ", needed %" PRIu64 " of %" PRIu64 ", unneeded %" PRIu64
	    ", faults %" PRIu64,
	    v->model, k3_st_nfile(st), k3_st_bytes(st), k3_st_count(st),
	    k3_st_found(st), k3_st_needed(st), s.unneeded, v->found);
	puts(err.msg);
	k3_st_close(st);
}

static void
parse(struct verify *v, int argc, char *argv[])
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "model", required_argument, NULL, 'm' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "hm:qVv", longopts, NULL)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case 'm':
			v->model = optarg;
			break;
		case 'q':
			v->quiet = true;
			tool_quiet();
			break;
		case 'V':
			tool_version();
		case 'v':
			v->verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
	if (argc - optind > 1 || (argc > optind && v->model != NULL))
		tool_usage(synopsis);
	if (argc > optind)
		v->model = argv[optind];
	v->model = tool_model(v->model);
}

int
verify_checkpoint(int argc, char *argv[])
{
	struct verify v = { 0 };

	parse(&v, argc, argv);
	structure(&v);
	return verify_status(&v);
}
