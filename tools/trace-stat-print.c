/*
 * trace-stat-print.c - the figures of k3-trace stat, as tables and as JSON
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/json.h"
#include "tools/trace-stat.h"

static void
put(const struct trace_stat_row *r)
{
	if (r->is_whole)
		printf("%" PRIu64, r->whole);
	else if (isnan(r->x))
		putchar('-');
	else
		printf("%.6g", r->x);
}

static int
print_all(const struct trace_stat *s, struct k3_err *err)
{
	static struct trace_stat_rows rows[2];

	if (trace_stat_all(&rows[0], s, 0, err) != 0 ||
	    trace_stat_all(&rows[1], s, 1, err) != 0)
		return -1;
	puts("name\tprefill\tdecode");
	for (size_t i = 0; i < rows[0].n; i++) {
		printf("%s\t", rows[0].row[i].name);
		put(&rows[0].row[i]);
		putchar('\t');
		put(&rows[1].row[i]);
		putchar('\n');
	}
	return 0;
}

static const char *const kind_name[] = { "prefill", "decode" };

static int
print_layers(const struct trace_stat *s, struct k3_err *err)
{
	static struct trace_stat_rows rows;
	int got;

	/* Names are the same for a layer without lines. */
	if (trace_stat_layer(&rows, s, 0, 0, err) == -1)
		return -1;
	printf("kind");
	for (size_t i = 0; i < rows.n; i++)
		printf("\t%s", rows.row[i].name);
	putchar('\n');
	for (int k = 0; k < 2; k++)
		for (uint32_t l = 0; l < s->uses.shape.layers; l++) {
			if ((got = trace_stat_layer(&rows, s, k, l, err)) == -1)
				return -1;
			if (got == 0)
				continue;
			printf("%s", kind_name[k]);
			for (size_t i = 0; i < rows.n; i++) {
				putchar('\t');
				put(&rows.row[i]);
			}
			putchar('\n');
		}
	return 0;
}

static int
print_top(const struct trace_stat *s, struct k3_err *err)
{
	puts("kind\tlayer\texpert\tpicks");
	for (int k = 0; k < 2; k++) {
		struct k3_uses_hot *list;
		size_t n = s->top;

		if (k3_uses_hottest(&s->uses, trace_stat_kind(s, k), &n, &list,
			err) != 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			printf("%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\n",
			    kind_name[k], list[i].layer, list[i].expert,
			    list[i].picks);
		free(list);
	}
	return 0;
}

/* As the table has it: the last digits of a logarithm go by the machine. */
static struct k3_json *
value(const struct trace_stat_row *r)
{
	char text[32];

	if (r->is_whole)
		return k3_json_pack("I", (int64_t)r->whole);
	if (isnan(r->x))
		return k3_json_pack("n");
	snprintf(text, sizeof(text), "%.6g", r->x);
	return k3_json_pack("f", strtod(text, NULL));
}

static struct k3_json *
object(const struct trace_stat_rows *rows)
{
	struct k3_json *obj = k3_json_pack("{}");

	for (size_t i = 0; i < rows->n; i++)
		obj = k3_json_set(obj, rows->row[i].name, value(&rows->row[i]));
	return obj;
}

static struct k3_json *
layers_json(const struct trace_stat *s, int k, struct k3_err *err)
{
	static struct trace_stat_rows rows;
	struct k3_json *list = k3_json_pack("[]");

	for (uint32_t l = 0; l < s->uses.shape.layers; l++) {
		int got = trace_stat_layer(&rows, s, k, l, err);

		if (got == 1)
			list = k3_json_push(list, object(&rows));
		if (got != -1)
			continue;
		k3_json_free(list);
		return NULL;
	}
	return list;
}

static struct k3_json *
top_json(const struct trace_stat *s, int k, struct k3_err *err)
{
	struct k3_json *json = k3_json_pack("[]");
	struct k3_uses_hot *list;
	size_t n = s->top;

	if (k3_uses_hottest(&s->uses, trace_stat_kind(s, k), &n, &list, err) !=
	    0) {
		k3_json_free(json);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		json = k3_json_push(json, k3_json_pack("{s:I,s:I,s:I}", "layer",
					      (int64_t)list[i].layer, "expert",
					      (int64_t)list[i].expert, "picks",
					      (int64_t)list[i].picks));
	free(list);
	return json;
}

static int
print_json(const struct trace_stat *s, struct k3_err *err)
{
	const struct k3_routes_shape *shape = &s->uses.shape;
	struct k3_json *doc = k3_json_pack("{s:I,s:I,s:I}", "layers",
	    (int64_t)shape->layers, "experts", (int64_t)shape->experts, "topk",
	    (int64_t)shape->topk);
	static struct trace_stat_rows rows;

	for (int k = 0; k < 2; k++) {
		struct k3_json *kind = NULL;

		if (trace_stat_all(&rows, s, k, err) == 0)
			kind = object(&rows);
		if (s->layers)
			kind = k3_json_set(kind, "by_layer",
			    layers_json(s, k, err));
		if (s->top > 0)
			kind =
			    k3_json_set(kind, "hottest", top_json(s, k, err));
		doc = k3_json_set(doc, kind_name[k], kind);
	}
	if (k3_json_write(doc, true, stdout, "<stdout>", err) != 0)
		return -1;
	putchar('\n');
	return 0;
}

int
trace_stat_print(const struct trace_stat *s, struct k3_err *err)
{
	if (s->json)
		return print_json(s, err);
	if (s->layers)
		return print_layers(s, err);
	if (s->top > 0)
		return print_top(s, err);
	return print_all(s, err);
}
