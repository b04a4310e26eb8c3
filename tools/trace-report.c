/*
 * trace-report.c - k3-trace report: a run report on one screen
 */
#include <getopt.h>

#include "common/json.h"
#include "tools/tool.h"
#include "tools/trace-file.h"
#include "tools/trace-report.h"
#include "tools/trace.h"

static const char synopsis[] = "report [-hV] [--json] [file ...]";
static const char help[] =
    "  -h, --help         print this help\n"
    "      --json         print JSON, a line for each report\n"
    "  -V, --version      print the version\n";

/* Some passes as JSON. */
static struct k3_json *
sum_json(const struct trace_sum *sum)
{
	const struct k3_run_seconds *t = &sum->seconds;

	return k3_json_pack("{s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,"
			    "s:f,s:f}",
	    "tokens", (int64_t)sum->tokens, "passes", (int64_t)sum->passes,
	    "seconds", t->wall, "compute", t->compute, "trunk_wait",
	    t->trunk_wait, "expert_wait", t->expert_wait, "other", t->other,
	    "trunk_bytes_a_token", trace_ratio(sum->trunk_bytes, sum->tokens),
	    "expert_bytes_a_token", trace_ratio(sum->expert_bytes, sum->tokens),
	    "read_rate", trace_ratio(sum->read_bytes, sum->busy), "depth",
	    sum->depth, "busy_share", trace_share(sum->busy, t->wall),
	    "hit_rate", trace_share(sum->hits, sum->demands), "fill_rate",
	    trace_share(sum->fills, sum->demands));
}

static int
print_json(const struct trace_summary *s, const struct trace_advice *a,
    struct k3_err *err)
{
	const struct k3_run *run = s->run;
	struct k3_json *json;

	json = k3_json_pack("{s:s,s:s,s:s,s:I,s:s,s:s,s:I,s:I,s:f,s:f,s:o,s:o,"
			    "s:o,s:s,s:s}",
	    "tool", run->tool, "version", run->version, "cpu", run->cpu,
	    "threads", (int64_t)run->threads, "io", run->io, "fingerprint",
	    run->fingerprint, "planned_bytes", (int64_t)run->plan.total,
	    "peak_bytes", (int64_t)run->peak_bytes, "seconds_a_token",
	    s->median, "slowest_token", s->slowest, "prompt",
	    sum_json(&s->prompt), "generated", sum_json(&s->generated), "run",
	    sum_json(&s->all), "rule", a->rule, "next", a->text);
	if (k3_json_write(json, false, stdout, "<stdout>", err) != 0)
		return -1;
	putchar('\n');
	return 0;
}

/* One report; several in a row are told apart by their names. */
static void
report(const char *file, bool json, bool named)
{
	const char *name;
	char text[TOOL_NAME];
	struct trace_summary s;
	struct trace_advice a;
	struct k3_run run = { 0 };
	struct k3_err err;
	FILE *fp = trace_file_open(file, &name, &err);
	int ret;

	if (fp == NULL)
		tool_die(&err);
	ret = k3_run_read(&run, fp, name, &err);
	trace_file_close(fp);
	if (ret != 0 || trace_report_sum(&s, &run, &err) != 0)
		tool_die(&err);
	trace_report_advise(&a, &s);
	if (named && !json)
		printf("%s:\n", tool_name(text, name));
	if (!json)
		trace_report_show(&s, &a);
	else if (print_json(&s, &a, &err) != 0)
		tool_die(&err);
	k3_run_free(&run);
}

int
trace_report(int argc, char *argv[])
{
	enum {
		JSON = 256,
	};
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, JSON },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	bool json = false;
	int c;

	while ((c = tool_option(argc, argv, "hV", longopts)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case JSON:
			json = true;
			break;
		case 'V':
			tool_version();
		default:
			tool_usage(synopsis);
		}
	}
	if (optind == argc)
		report(NULL, json, false);
	for (int i = optind; i < argc; i++) {
		if (i > optind && !json)
			putchar('\n');
		report(argv[i], json, argc - optind > 1);
	}
	return tool_finish();
}
