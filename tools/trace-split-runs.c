/*
 * trace-split-runs.c - how well runs are predicted
 *
 * With --disk, bytes and seconds are those of the forecast.  Without it they
 * are made of the run's own bytes and rates, which leaves the question whether
 * reading and computing overlap as it says.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/run.h"
#include "tools/tool-json.h"
#include "tools/tool.h"
#include "tools/trace-file.h"
#include "tools/trace-split.h"

/* The passes of a kind of one report: all together, or of tokens the median. */
struct sum {
	double n;                /* passes */
	double predicted, wall;  /* seconds */
	double forecast, actual; /* bytes, alike */
};

/* What its plan and its model say. */
static struct k3_load
load_of(const struct k3_run *run)
{
	const struct k3_run_plan *plan = &run->plan;
	struct k3_load load = { .trunk = (double)plan->trunk_bytes_a_pass,
		.beside = (double)plan->beside_bytes_a_pass,
		.expert = (double)run->model.expert_bytes,
		.layers = (double)run->model.moe_layers,
		.experts = (double)run->model.experts,
		.cached = (double)plan->cached_experts,
		.chunk = (double)plan->chunk };

	load.matrices = load.trunk + (double)plan->pinned_bytes;
	if (load.layers > 0)
		load.topk = (double)plan->expert_bytes_a_token / load.layers /
			    load.expert;
	if (load.topk > load.experts)
		load.topk = load.experts;
	return load;
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Rates that were not given: those of the run's own passes of this kind. */
static struct k3_speed
rates(const struct split_options *o, const struct k3_run *run, char kind)
{
	struct k3_speed speed = o->speed;
	struct k3_load load = load_of(run);
	double bytes = 0, busy = 0, compute = 0, flops = 0, weights = 0;

	for (size_t i = 0; i < run->npass; i++) {
		const struct k3_run_pass *p = &run->pass[i];

		if (p->kind != kind)
			continue;
		bytes += (double)p->part.reads.bytes;
		busy += p->part.reads.busy;
		compute += p->part.seconds.compute;
		flops += k3_predict_flops(&load, (double)p->n);
		weights += k3_predict_bytes(&load);
	}
	if (speed.experts <= 0 && busy > 0)
		speed.trunk = speed.experts = bytes / busy;
	if (speed.memory > 0 || speed.flops > 0 || compute <= 0)
		return speed;
	if (kind == 'd')
		speed.memory = weights / compute;
	else
		speed.flops = flops / compute;
	return speed;
}

/* What a pass is predicted to read; the first one fills pins and cache. */
static void
forecast(const struct k3_run *run, const struct k3_run_pass *p,
    const struct k3_speed *speed, struct k3_cost *cost)
{
	struct k3_load load = load_of(run);

	if (p->kind == 'd') {
		k3_predict_token(&load, speed, k3_predict_hits(&load), cost);
		return;
	}
	load.chunk = (double)p->n;
	if (p == run->pass) {
		load.trunk += (double)run->plan.pinned_bytes;
		load.cached = 0;
	}
	k3_predict_prompt(&load, speed, (double)p->n, cost);
}

static void
predict(const struct split_options *o, const struct k3_run *run,
    const struct k3_run_pass *p, const struct k3_speed *speed,
    struct k3_cost *cost)
{
	struct k3_load load = load_of(run);
	double used = p->kind == 'd' ? load.layers * load.topk
				     : k3_predict_used(&load, (double)p->n);

	*cost = (struct k3_cost){ 0 };
	if (o->speed.experts > 0)
		forecast(run, p, speed, cost);
	else
		k3_predict_pass(&load, speed, (double)p->n, used,
		    (double)p->part.counters.trunk_bytes,
		    (double)p->part.counters.expert_bytes, cost);
}

/* Of all passes of a kind: the sum, or of single tokens the median. */
static double
one_of(double *v, size_t n, char kind)
{
	double sum = 0;

	if (kind == 'd' && n > 0) {
		qsort(v, n, sizeof(*v), compare);
		return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	}
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

/* The passes of a kind: added up, or if they are of one token, the median. */
static struct sum
add_up(const struct split_options *o, const struct k3_run *run, char kind)
{
	struct sum sum = { .n = 0 };
	struct k3_speed speed = rates(o, run, kind);
	double *v[4] = { NULL };
	struct k3_cost cost;
	struct k3_err err;
	size_t n = 0;

	for (size_t i = 0; i < 4; i++)
		if ((v[i] = calloc(run->npass + 1, sizeof(**v))) == NULL) {
			k3_fail(&err, EX_OSERR, "cannot allocate 'passes'");
			tool_die(&err);
		}
	for (size_t i = 0; i < run->npass; i++) {
		const struct k3_run_pass *p = &run->pass[i];
		const struct k3_run_counters *c = &p->part.counters;

		if (p->kind != kind)
			continue;
		predict(o, run, p, &speed, &cost);
		v[0][n] = cost.seconds;
		v[1][n] = p->part.seconds.wall;
		v[2][n] = cost.trunk + cost.experts;
		v[3][n++] = (double)c->trunk_bytes + (double)c->expert_bytes;
	}
	sum.n = (double)n;
	sum.predicted = one_of(v[0], n, kind);
	sum.wall = one_of(v[1], n, kind);
	sum.forecast = one_of(v[2], n, kind);
	sum.actual = one_of(v[3], n, kind);
	for (size_t i = 0; i < 4; i++)
		free(v[i]);
	return sum;
}

/* A number of bytes; a sum may be more than JSON's whole numbers hold. */
static struct k3_json *
whole(double v)
{
	return v < 0x1p63 ? k3_json_pack("I", (int64_t)v)
			  : k3_json_pack("f", v);
}

static struct k3_json *
put(const struct split_options *o, const char *path, char kind,
    const struct sum *sum, struct k3_json *rows)
{
	double off = sum->wall > 0 ? sum->predicted / sum->wall - 1 : 0;
	const char word[2] = { kind, '\0' };
	char name[TOOL_NAME];

	if (o->json)
		return k3_json_push(rows,
		    k3_json_pack("{s:o,s:s,s:I,s:f,s:f,s:f,s:o,s:o}", "report",
			tool_json_text(path), "kind", word, "passes",
			(int64_t)sum->n, "predicted_seconds", sum->predicted,
			"measured_seconds", sum->wall, "off", off,
			"predicted_bytes", whole(sum->forecast),
			"measured_bytes", whole(sum->actual)));
	printf("%s\t%c\t%.0f\t%.6g\t%.6g\t%+.4f\t%.0f\t%.0f\n",
	    tool_name(name, path), kind, sum->n, sum->predicted, sum->wall, off,
	    sum->forecast, sum->actual);
	return rows;
}

/* The report in a file, or on standard input; '*name' is what it is called. */
static void
load(struct k3_run *run, const char *file, const char **name)
{
	struct k3_err err;
	FILE *fp = trace_file_open(file, name, &err);
	int ret;

	if (fp == NULL)
		tool_die(&err);
	ret = k3_run_read(run, fp, *name, &err);
	trace_file_close(fp);
	if (ret == 0 && (run->plan.chunk == 0 || run->model.experts == 0 ||
			    run->model.expert_bytes == 0))
		ret = k3_fail(&err, EX_DATAERR,
		    "'%s': a chunk of no tokens, or experts of no size", *name);
	if (ret != 0)
		tool_die(&err);
}

void
split_runs(const struct split_options *o, int argc, char *argv[])
{
	static const char kinds[] = "pd";
	struct k3_json *rows = k3_json_pack("[]");
	struct k3_run run = { .npass = 0 };
	struct k3_err err;
	const char *name;

	for (int i = 0; i < argc; i++) {
		load(&run, argv[i], &name);
		if (i == 0 && !o->json)
			puts("report\tkind\tpasses\tpredicted_seconds\t"
			     "measured_seconds\toff\tpredicted_bytes\t"
			     "measured_bytes");
		for (const char *k = kinds; *k != '\0'; k++) {
			struct sum sum = add_up(o, &run, *k);

			if (sum.n > 0)
				rows = put(o, name, *k, &sum, rows);
		}
		k3_run_free(&run);
	}
	if (!o->json) {
		k3_json_free(rows);
		return;
	}
	rows = k3_json_pack("{s:o}", "rows", rows);
	if (k3_json_write(rows, true, stdout, "<stdout>", &err) != 0)
		tool_die(&err);
	putchar('\n');
}
