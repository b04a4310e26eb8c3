/*
 * trace-plot.c - k3-trace plot: pictures by gnuplot
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "tools/tool.h"
#include "tools/trace-plot.h"
#include "tools/trace.h"

static const char synopsis[] =
    "plot [-hV] [--label TEXT] [-o FILE] [--script]\n"
    "                     [--title TEXT] kind [file ...]";
static const char help[] =
    "  -h, --help         print this help\n"
    "      --label TEXT   what the legend calls a file; once for each\n"
    "  -o, --output FILE  write to a file\n"
    "      --script       print the program for gnuplot, do not run it\n"
    "      --title TEXT   what stands above the picture\n"
    "  -V, --version      print the version\n"
    "\n"
    "Kinds:\n"
    "  cache    hits by size and policy: tables of k3-trace cache\n"
    "  experts  use of each expert of each layer: routes\n"
    "  passes   time of each pass: a run report\n"
    "  split    seconds a token by memory: tables of k3-trace split\n";

static const struct kind {
	const char *name;
	bool one;    /* file at most */
	bool labels; /* a legend of files */
	int (*plot)(FILE *fp, const struct trace_plot *p, struct k3_err *err);
} kinds[] = {
	{ "cache", false, true, trace_plot_cache },
	{ "experts", false, false, trace_plot_experts },
	{ "passes", true, false, trace_plot_passes },
	{ "split", false, true, trace_plot_split },
};

struct options {
	struct trace_plot plot;
	char **label; /* room for as many as there are arguments */
	const struct kind *kind;
	const char *output;
	bool script;
};

/* The program's text, or the picture that gnuplot makes of it. */
static int
make(const struct options *o, struct k3_buf *out, struct k3_err *err)
{
	FILE *fp = tmpfile();
	int ret = -1;

	if (fp == NULL)
		return k3_fail_errno(err, EX_CANTCREAT,
		    "cannot create a temporary file");
	if (o->kind->plot(fp, &o->plot, err) != 0)
		goto out;
	if (fflush(fp) != 0 || ferror(fp)) {
		k3_fail_errno(err, EX_IOERR, "cannot write a temporary file");
		goto out;
	}
	ret = 0;
	if (!o->script) {
		ret = trace_plot_run(fp, out, err);
		goto out;
	}
	rewind(fp);
	while (ret == 0 && !feof(fp) && !ferror(fp)) {
		ret = k3_buf_need(out, BUFSIZ, err);
		if (ret == 0)
			out->len += fread(out->data + out->len, 1, BUFSIZ, fp);
	}
	if (ferror(fp))
		ret = k3_fail_errno(err, EX_IOERR,
		    "cannot read a temporary file");
out:
	fclose(fp);
	return ret;
}

static int
put(const struct options *o, const struct k3_buf *out, struct k3_err *err)
{
	struct k3_file file;

	if (o->output == NULL) {
		fwrite(out->data, 1, out->len, stdout);
		return 0;
	}
	if (k3_file_create(&file, o->output, K3_FILE_PUBLIC, err) != 0)
		return -1;
	fwrite(out->data, 1, out->len, file.fp);
	return k3_file_commit(&file, err);
}

static void
parse(struct options *o, int argc, char *argv[])
{
	enum {
		LABEL = 256,
		SCRIPT,
		TITLE,
	};
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "label", required_argument, NULL, LABEL },
		{ "output", required_argument, NULL, 'o' },
		{ "script", no_argument, NULL, SCRIPT },
		{ "title", required_argument, NULL, TITLE },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "ho:V", longopts)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case LABEL:
			o->label[o->plot.nlabel++] = optarg;
			break;
		case 'o':
			o->output = strcmp(optarg, "-") != 0 ? optarg : NULL;
			break;
		case SCRIPT:
			o->script = true;
			break;
		case TITLE:
			o->plot.title = optarg;
			break;
		case 'V':
			tool_version();
		default:
			tool_usage(synopsis);
		}
	}
}

static void
operands(struct options *o, int argc, char *argv[])
{
	const size_t n = sizeof(kinds) / sizeof(*kinds);
	struct k3_err err;
	size_t i = 0;

	if (optind == argc)
		tool_usage(synopsis);
	while (i < n && strcmp(kinds[i].name, argv[optind]) != 0)
		i++;
	if (i == n) {
		k3_fail(&err, EX_USAGE, "no kind '%s': -h lists them",
		    argv[optind]);
		tool_die(&err);
	}
	o->kind = &kinds[i];
	o->plot.file = argv + optind + 1;
	o->plot.nfile = (size_t)(argc - optind - 1);
	if (!o->kind->labels && o->plot.nlabel > 0) {
		k3_fail(&err, EX_USAGE, "%s has no legend for --label",
		    o->kind->name);
		tool_die(&err);
	}
	if (o->kind->one && o->plot.nfile > 1) {
		k3_fail(&err, EX_USAGE, "%s is a picture of one file, not %zu",
		    o->kind->name, o->plot.nfile);
		tool_die(&err);
	}
	if (!o->script && o->output == NULL && isatty(STDOUT_FILENO)) {
		k3_fail(&err, EX_USAGE, "refusing to write SVG to a terminal");
		tool_die(&err);
	}
}

int
trace_plot(int argc, char *argv[])
{
	struct options o = { 0 };
	struct k3_buf out = { 0 };
	struct k3_err err;

	o.label = calloc((size_t)argc, sizeof(*o.label));
	if (o.label == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate labels");
		tool_die(&err);
	}
	o.plot.label = o.label;
	parse(&o, argc, argv);
	operands(&o, argc, argv);
	if (make(&o, &out, &err) != 0 || put(&o, &out, &err) != 0)
		tool_die(&err);
	k3_buf_fini(&out);
	free(o.label);
	return tool_finish();
}
