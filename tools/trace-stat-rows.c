/*
 * trace-stat-rows.c - the figures of k3-trace stat, by name
 */
#include <math.h>
#include <stdio.h>

#include "tools/trace-stat.h"

const struct k3_uses_kind *
trace_stat_kind(const struct trace_stat *s, int k)
{
	return k == 0 ? &s->uses.prefill : &s->uses.decode;
}

static void
whole(struct trace_stat_rows *rows, const char *name, uint64_t v)
{
	struct trace_stat_row *r = &rows->row[rows->n++];

	*r = (struct trace_stat_row){ .is_whole = true, .whole = v };
	snprintf(r->name, sizeof(r->name), "%s", name);
}

static void
real(struct trace_stat_rows *rows, const char *name, double x)
{
	struct trace_stat_row *r = &rows->row[rows->n++];

	*r = (struct trace_stat_row){ .x = x };
	snprintf(r->name, sizeof(r->name), "%s", name);
}

static double
ratio(uint64_t a, uint64_t b)
{
	return b > 0 ? (double)a / (double)b : NAN;
}

static void
guess_rows(struct trace_stat_rows *rows, const struct k3_uses_figures *f)
{
	whole(rows, "guess_lines", f->guesses);
	real(rows, "guess_precision", f->precision);
	real(rows, "guess_recall", f->guessed);
}

/* What a layer has, and all together. */
static void
use_rows(struct trace_stat_rows *rows, const struct trace_stat *s,
    const struct k3_uses_figures *f)
{
	double all = (double)f->layers * s->uses.shape.experts;

	real(rows, "entropy", f->entropy);
	real(rows, "entropy_share", f->entropy_share);
	whole(rows, "experts_used", f->used);
	real(rows, "experts_used_share",
	    f->layers > 0 ? (double)f->used / all : NAN);
	real(rows, "cover_16th", f->cover[0]);
	real(rows, "cover_quarter", f->cover[1]);
	real(rows, "cover_half", f->cover[2]);
}

/* The power of two that is not above d; 0 for 0. */
static size_t
bin(size_t d)
{
	size_t low = 1;

	while (low <= d / 2)
		low *= 2;
	return d == 0 ? 0 : low;
}

/* The bin of the largest distance of both kinds. */
static size_t
last_bin(const struct trace_stat *s)
{
	size_t most = 0;

	for (int k = 0; k < 2; k++) {
		const struct k3_uses_kind *kind = trace_stat_kind(s, k);

		for (size_t d = 0; d < kind->ndistance; d++)
			if (kind->distance[d] > 0 && d > most)
				most = d;
	}
	return bin(most);
}

static void
distance_rows(struct trace_stat_rows *rows, const struct trace_stat *s, int k)
{
	static const char *const name[] = { "distance_q1", "distance_median",
		"distance_q3" };
	const struct k3_uses_kind *kind = trace_stat_kind(s, k);
	size_t last = last_bin(s);

	whole(rows, "first_uses", kind->first);
	for (unsigned q = 1; q <= 3; q++) {
		int64_t d = k3_uses_quartile(kind, q);

		if (d >= 0)
			whole(rows, name[q - 1], (uint64_t)d);
		else
			real(rows, name[q - 1], NAN);
	}
	for (size_t low = 0; low <= last; low = low == 0 ? 1 : low * 2) {
		uint64_t sum = 0;
		char text[32];

		for (size_t d = low; d < kind->ndistance && bin(d) == low; d++)
			sum += kind->distance[d];
		snprintf(text, sizeof(text), "distance_%u", (unsigned)low);
		whole(rows, text, sum);
	}
}

static void
read_rows(struct trace_stat_rows *rows, const struct trace_stat_read *r)
{
	whole(rows, "read_right", r->right);
	whole(rows, "read_wrong", r->wrong);
	real(rows, "read_precision", ratio(r->right, r->right + r->wrong));
	real(rows, "read_recall", ratio(r->right, r->demands));
	real(rows, "read_of_misses", ratio(r->right, r->misses));
}

int
trace_stat_all(struct trace_stat_rows *rows, const struct trace_stat *s, int k,
    struct k3_err *err)
{
	const struct k3_uses_kind *kind = trace_stat_kind(s, k);
	const struct k3_routes_shape *shape = &s->uses.shape;
	double chance = (double)shape->topk / shape->experts;
	struct k3_uses_figures f;

	if (k3_uses_figures(&s->uses, kind, 0, shape->layers, &f, err) != 0)
		return -1;
	rows->n = 0;
	whole(rows, "passes", kind->passes);
	whole(rows, "tokens", kind->tokens);
	whole(rows, "layers", f.layers);
	whole(rows, "lines", f.lines);
	whole(rows, "demands", f.demands);
	real(rows, "demands_a_token", ratio(f.demands, kind->tokens));
	whole(rows, "reuse_lines", f.pairs);
	real(rows, "reuse", f.reuse);
	real(rows, "reuse_chance", chance);
	real(rows, "reuse_lift", f.reuse / chance);
	real(rows, "reuse_recall", f.recall);
	use_rows(rows, s, &f);
	distance_rows(rows, s, k);
	if (s->guess != NULL) {
		guess_rows(rows, &f);
		whole(rows, "guess_strays", s->strays[k]);
	}
	if (s->report != NULL)
		read_rows(rows, &s->read[k]);
	return 0;
}

int
trace_stat_layer(struct trace_stat_rows *rows, const struct trace_stat *s,
    int k, uint32_t l, struct k3_err *err)
{
	const struct k3_uses_kind *kind = trace_stat_kind(s, k);
	struct k3_uses_figures f;

	if (k3_uses_figures(&s->uses, kind, l, l + 1, &f, err) != 0)
		return -1;
	rows->n = 0;
	whole(rows, "layer", l);
	whole(rows, "lines", f.lines);
	whole(rows, "demands", f.demands);
	real(rows, "reuse", f.reuse);
	use_rows(rows, s, &f);
	if (s->guess != NULL)
		guess_rows(rows, &f);
	return f.layers > 0;
}
