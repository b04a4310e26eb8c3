/*
 * verify-diff-sums.c - how much of all is different, and by how much at most
 */
#include <inttypes.h>

#include "tools/verify-diff.h"

static void
add_most(struct diff_most *m, const struct diff_tensor *t,
    const struct k3_compare_most *of)
{
	if (of->error < 0 || (m->place[0] != '\0' && of->error <= m->error))
		return;
	m->error = of->error;
	diff_place(t, of->at, m->place);
}

void
diff_add(struct diff *d, const struct diff_tensor *t)
{
	const struct k3_compare *c = &t->c;

	d->tensors++;
	d->n += c->n;
	d->other_tensors += c->different > 0;
	d->other += c->different;
	d->near += c->near;
	d->zeros += c->zeros;
	d->nans += c->nans;
	d->payloads += c->payloads;
	add_most(&d->abs, t, &c->abs);
	add_most(&d->rel, t, &c->rel);
	add_most(&d->ulp, t, &c->ulp);
}

static void
most_text(const char *what, int digits, const struct diff_most *m)
{
	if (m->place[0] != '\0')
		printf("largest %s: %.*g, %s\n", what, digits, m->error,
		    m->place);
}

static struct k3_json *
most_json(const struct diff_most *m)
{
	if (m->place[0] == '\0')
		return k3_json_pack("n");
	return diff_number(m->error);
}

static void
count(uint64_t n, const char *what)
{
	if (n > 0)
		printf(", %" PRIu64 " %s", n, what);
}

static void
sums_json(struct diff *d, const char *verdict)
{
	diff_json(d,
	    k3_json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,"
			 "s:I,s:I,s:o,s:o,s:o}",
		"what", "sum", "verdict", verdict, "files", (int64_t)d->files,
		"different_files", (int64_t)d->other_files, "failed_files",
		(int64_t)d->failed, "tensors", (int64_t)d->tensors,
		"different_tensors", (int64_t)d->other_tensors, "elements",
		(int64_t)d->n, "different", (int64_t)d->other, "near",
		(int64_t)d->near, "zeros", (int64_t)d->zeros, "nans",
		(int64_t)d->nans, "payloads", (int64_t)d->payloads, "found",
		(int64_t)d->found, "abs", most_json(&d->abs), "rel",
		most_json(&d->rel), "ulp", most_json(&d->ulp)));
}

/* Of a single one nothing need be said. */
static void
of(uint64_t other, uint64_t n, const char *what)
{
	if (n > 1 && other > 0)
		printf(", %" PRIu64 " of %" PRIu64 " %s", other, n, what);
	else if (n > 1)
		printf(", %" PRIu64 " %s", n, what);
}

bool
diff_sums(struct diff *d)
{
	bool same = d->other == 0 && d->found == 0;
	const char *verdict = !same           ? "different"
			      : d->failed > 0 ? "incomplete"
			      : d->near > 0   ? "near"
					      : "same";

	tool_progress_clear(&d->progress);
	if (d->json) {
		sums_json(d, verdict);
		return same;
	}
	most_text("absolute error", 9, &d->abs);
	most_text("relative error", 9, &d->rel);
	most_text("ulp distance", 10, &d->ulp);
	printf("%s: ", verdict);
	if (!same)
		printf("%" PRIu64 " of ", d->other);
	printf("%" PRIu64 " elements", d->n);
	count(d->near, "near");
	count(d->zeros, "zeros of two signs");
	count(d->nans, "NaNs against numbers");
	count(d->payloads, "NaNs with other bits");
	of(d->other_tensors, d->tensors, "tensors");
	of(d->other_files, d->files, "files");
	count(d->failed, "files that could not be compared");
	putchar('\n');
	return same;
}
