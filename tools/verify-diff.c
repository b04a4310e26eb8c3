/*
 * verify-diff.c - k3-verify diff: where two runs part
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cfg.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify-diff.h"
#include "tools/verify.h"

static const char synopsis[] =
    "diff [-hqVv] [--abs X] [--json] [-m DIR] [--rel X] [--ulp N]\n"
    "                 [--width N] one two";
static const char help[] =
    "      --abs X        let differ by so much\n"
    "  -h, --help         print this help\n"
    "      --json         print JSON, an object a line\n"
    "  -m, --model DIR    the model whose logits they are\n"
    "  -q, --quiet        no progress\n"
    "      --rel X        let differ by such a part of the larger one\n"
    "      --ulp N        let differ by so many steps of the dtype\n"
    "  -V, --version      print the version\n"
    "  -v, --verbose      progress, now and then\n"
    "      --width N      logits in a row (default: all)\n";

void
diff_failed(struct diff *d, const struct k3_err *err)
{
	tool_progress_clear(&d->progress);
	if (err->code == EX_OSERR)
		tool_die(err);
	fflush(stdout);
	tool_warn(err);
	d->failed++;
	if (d->status < err->code)
		d->status = err->code;
}

/* A limit: finite, not below 0. */
static double
limit(const char *opt, const char *arg)
{
	struct k3_err err;
	double v = -1;
	char *end = NULL;

	errno = 0;
	if (arg[0] != '\0' && arg[strspn(arg, "0123456789.eE+-")] == '\0')
		v = strtod(arg, &end);
	if (end != NULL && end != arg && *end == '\0' && v >= 0 && v <= 1e300)
		return v;
	k3_fail(&err, EX_USAGE,
	    "bad value '%s' for %s: not a number such as 0.5 or 1e-6", arg,
	    opt);
	tool_die(&err);
}

static void
parse(struct diff *d, const char **model, int argc, char *argv[])
{
	enum {
		ABS = 256,
		JSON,
		REL,
		ULP,
		WIDTH,
	};
	static const struct option longopts[] = {
		{ "abs", required_argument, NULL, ABS },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, JSON },
		{ "model", required_argument, NULL, 'm' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "rel", required_argument, NULL, REL },
		{ "ulp", required_argument, NULL, ULP },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "width", required_argument, NULL, WIDTH },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "hm:qVv", longopts)) != -1) {
		switch (c) {
		case ABS:
			d->limit.abs = limit("--abs", optarg);
			break;
		case 'h':
			tool_help(synopsis, help);
		case JSON:
			d->json = true;
			break;
		case 'm':
			*model = optarg;
			break;
		case 'q':
			d->quiet = true;
			break;
		case REL:
			d->limit.rel = limit("--rel", optarg);
			break;
		case ULP:
			d->limit.ulp =
			    (double)tool_number("--ulp", optarg, 0, UINT32_MAX);
			break;
		case 'V':
			tool_version();
		case 'v':
			d->verbose = true;
			break;
		case WIDTH:
			d->width =
			    tool_number("--width", optarg, 1, UINT32_MAX);
			break;
		default:
			tool_usage(synopsis);
		}
	}
}

/* What both are; of a pipe it is believed to be what the other one is. */
static enum diff_kind
kinds(const char *const path[2])
{
	struct k3_err err;
	int kind[2];

	for (int i = 0; i < 2; i++)
		if ((kind[i] = diff_look(path[i], &err)) == -1)
			tool_die(&err);
	if (kind[0] == DIFF_STREAM || kind[1] == DIFF_STREAM) {
		int other = kind[0] == DIFF_STREAM;

		if (kind[other] == DIFF_STREAM) {
			k3_fail(&err, EX_USAGE,
			    "cannot compare '%s' and '%s': one of them must be "
			    "a file",
			    path[0], path[1]);
			tool_die(&err);
		}
		if (kind[other] != DIFF_FOLDER)
			kind[!other] = kind[other];
	}
	if (kind[0] == kind[1] && kind[0] != DIFF_TEXT)
		return (enum diff_kind)kind[0];
	k3_fail(&err, EX_DATAERR, "cannot compare '%s', %s, and '%s', %s",
	    path[0], diff_kind_name((enum diff_kind)kind[0]), path[1],
	    diff_kind_name((enum diff_kind)kind[1]));
	tool_die(&err);
}

static int
two_layers(struct diff *d, const char *const path[2], struct k3_err *err)
{
	uint64_t sum = 0;
	struct stat sb;

	for (int i = 0; i < 2; i++)
		if (stat(path[i], &sb) == 0 && S_ISREG(sb.st_mode))
			sum += (uint64_t)sb.st_size;
	tool_progress_init(&d->progress, TOOL_BYTES, sum, d->quiet, d->verbose);
	d->progress.what = d->name[0];
	return diff_layers(d, path, err);
}

int
verify_diff(int argc, char *argv[])
{
	struct diff d = { .limit = { -1, -1, -1 } };
	struct k3_cfg cfg;
	struct k3_err err;
	const char *model = NULL, *path[2];
	int bad = 0, status;
	enum diff_kind kind;

	parse(&d, &model, argc, argv);
	if (argc - optind != 2 || (model != NULL && d.width > 0))
		tool_usage(synopsis);
	for (int i = 0; i < 2; i++) {
		path[i] = argv[optind + i];
		d.name[i] = strcmp(path[i], "-") == 0 ? "<stdin>" : path[i];
	}
	if (model != NULL) {
		if (k3_cfg_load(&cfg, model, &err) != 0)
			tool_die(&err);
		d.width = cfg.vocab;
	}
	tool_signal_init_report();
	kind = kinds(path);
	if (kind == DIFF_REPORT)
		bad = diff_runs(&d, path, &err);
	else if (kind == DIFF_FOLDER)
		bad = diff_folders(&d, path, &err);
	else if (kind == DIFF_LAYER)
		bad = two_layers(&d, path, &err);
	else
		bad = diff_logits(&d, path, &err);
	if (bad == -1)
		tool_die(&err);
	if (kind != DIFF_REPORT)
		bad = !diff_sums(&d);
	status = tool_finish();
	return status != EX_OK ? status : d.status != 0 ? d.status : bad;
}
