/*
 * verify-diff-show.c - what k3-verify diff has to say, as text and as JSON
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool-json.h"
#include "tools/tool.h"
#include "tools/verify-diff.h"

void
diff_json(struct diff *d, struct k3_json *json)
{
	struct k3_err err;

	tool_progress_clear(&d->progress);
	if (k3_json_write(json, false, stdout, "<stdout>", &err) != 0)
		tool_die(&err);
	putchar('\n');
}

void
diff_found(struct diff *d, const char *fmt, ...)
{
	struct k3_err line;
	char text[sizeof(line.msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	d->found++;
	tool_progress_clear(&d->progress);
	/* Names of files may hold anything. */
	k3_fail(&line, EX_OK, "%s", text);
	if (d->json)
		diff_json(d, k3_json_pack("{s:s,s:o}", "what", "found", "text",
				 tool_json_text(line.msg)));
	else
		puts(line.msg);
}

const char *
diff_place(const struct diff_tensor *t, uint64_t at, char buf[DIFF_PLACE])
{
	int n = 0;

	buf[0] = '\0';
	if (t->layer[0] != '\0')
		n += snprintf(buf + n, DIFF_PLACE - (size_t)n, "layer %s ",
		    t->layer);
	if (t->row[0] != '\0')
		n += snprintf(buf + n, DIFF_PLACE - (size_t)n,
		    "%s %" PRIu64 " ", t->row, at / t->c.width);
	n += snprintf(buf + n, DIFF_PLACE - (size_t)n, "element %" PRIu64,
	    at % t->c.width);
	if (t->name[0] != '\0')
		snprintf(buf + n, DIFF_PLACE - (size_t)n, " of %s", t->name);
	return buf;
}

struct k3_json *
diff_number(double v)
{
	char text[32];

	if (v == floor(v) && fabs(v) < 0x1p53 && (v != 0 || !signbit(v)))
		return k3_json_pack("I", (int64_t)v);
	if (isfinite(v))
		return k3_json_pack("f", v);
	snprintf(text, sizeof(text), "%g", v);
	return k3_json_pack("s", isnan(v) ? "nan" : text);
}

/* A layer's number, or "head", or null. */
static struct k3_json *
layer(const struct diff_tensor *t)
{
	if (t->layer[0] == '\0')
		return k3_json_pack("n");
	if (t->layer[0] < '0' || t->layer[0] > '9')
		return k3_json_pack("s", t->layer);
	return k3_json_pack("I", (int64_t)strtoull(t->layer, NULL, 10));
}

/* A number with row and element, or null where there is none. */
static struct k3_json *
error_at(const struct diff_tensor *t, const struct k3_compare_most *m)
{
	if (m->error < 0)
		return k3_json_pack("n");
	return k3_json_pack("{s:o,s:I,s:I}", "error", diff_number(m->error),
	    "row", (int64_t)(m->at / t->c.width), "element",
	    (int64_t)(m->at % t->c.width));
}

static struct k3_json *
tensor_json(const struct diff_tensor *t)
{
	const struct k3_compare *c = &t->c;

	return k3_json_pack(
	    "{s:s,s:o,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o}", "what",
	    "tensor", "layer", layer(t), "tensor", t->name, "elements",
	    (int64_t)c->n, "rows", (int64_t)c->rows, "different",
	    (int64_t)c->different, "near", (int64_t)c->near, "zeros",
	    (int64_t)c->zeros, "nans", (int64_t)c->nans, "payloads",
	    (int64_t)c->payloads, "abs", error_at(t, &c->abs), "rel",
	    error_at(t, &c->rel), "ulp", error_at(t, &c->ulp));
}

/*
 * An error and its place, or two times "-".  Digits enough for each float32,
 * and for each distance of two.
 */
static void
error_text(const struct diff_tensor *t, const struct k3_compare_most *m,
    int digits)
{
	if (m->error < 0)
		printf("\t-\t-");
	else
		printf("\t%.*g\t%" PRIu64 ":%" PRIu64, digits, m->error,
		    m->at / t->c.width, m->at % t->c.width);
}

static void
tensor_text(struct diff *d, const struct diff_tensor *t)
{
	const struct k3_compare *c = &t->c;

	if (!d->header)
		puts("layer\ttensor\telements\trows\tdifferent\tnear\tzeros\t"
		     "nans\tmax_abs\tabs_at\tmax_rel\trel_at\tmax_ulp\tulp_at");
	d->header = true;
	printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
	       "\t%" PRIu64 "\t%" PRIu64,
	    t->layer[0] != '\0' ? t->layer : "-",
	    t->name[0] != '\0' ? t->name : "-", c->n, c->rows, c->different,
	    c->near, c->zeros, c->nans);
	error_text(t, &c->abs, 9);
	error_text(t, &c->rel, 9);
	error_text(t, &c->ulp, 10);
	putchar('\n');
}

/* Where two runs part. */
static void
first(struct diff *d, const struct diff_tensor *t)
{
	int digits = t->c.dtype == K3_U32 ? 10 : 9;
	uint64_t at = t->c.first;
	char where[DIFF_PLACE];

	tool_progress_clear(&d->progress);
	if (d->json)
		diff_json(d,
		    k3_json_pack("{s:s,s:o,s:s,s:I,s:I,s:o,s:o}", "what",
			"first", "layer", layer(t), "tensor", t->name, "row",
			(int64_t)(at / t->c.width), "element",
			(int64_t)(at % t->c.width), "one", diff_number(t->c.a),
			"two", diff_number(t->c.b)));
	else
		printf("first: %s: %.*g and %.*g\n", diff_place(t, at, where),
		    digits, t->c.a, digits, t->c.b);
}

/* Is the first difference of s before that of t, which stands after it? */
static bool
before(const struct diff_tensor *s, const struct diff_tensor *t)
{
	if (!s->grows || !t->grows)
		return !s->grows;
	return s->c.first / s->c.width <= t->c.first / t->c.width;
}

void
diff_file(struct diff *d, const struct diff_tensor *t, size_t n, bool found)
{
	const struct diff_tensor *one = NULL;

	for (size_t i = 0; i < n; i++)
		if (t[i].c.different > 0 &&
		    (one == NULL || !before(one, &t[i])))
			one = &t[i];
	if (one != NULL && d->other == 0)
		first(d, one);
	d->files++;
	d->other_files += found || one != NULL;
	tool_progress_clear(&d->progress);
	for (size_t i = 0; i < n; i++) {
		if (!t[i].compared)
			continue;
		diff_add(d, &t[i]);
		if (t[i].c.different == 0 && t[i].c.near == 0)
			continue;
		if (d->json)
			diff_json(d, tensor_json(&t[i]));
		else
			tensor_text(d, &t[i]);
	}
}
