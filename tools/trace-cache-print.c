/*
 * trace-cache-print.c - the table of k3-trace cache
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"
#include "tools/tool.h"
#include "tools/trace-cache.h"

/* NAN is what is not known. */
struct row {
	const char *policy;
	uint64_t slots;
	struct k3_cache_counts c;
	double bytes, token_bytes;
	double share, hit_rate, seconds;
};

static double
ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void
fill(struct row *r, const struct trace_cache *t)
{
	double expert = t->expert_bytes > 0 ? (double)t->expert_bytes : NAN;

	r->bytes = (double)r->slots * expert;
	r->share = ratio((double)r->slots, (double)t->all);
	r->hit_rate = ratio((double)r->c.hits, (double)r->c.demands);
	r->token_bytes =
	    round(ratio((double)r->c.misses * expert, (double)t->tokens));
	r->seconds = ratio(r->token_bytes, t->disk);
}

/* The 'i'th size of the 'p'th policy; false: the row is left out. */
static bool
get(const struct trace_cache *t, size_t p, size_t i, struct row *r)
{
	r->policy = trace_cache_policy(t->policy[p]);
	r->slots = t->slots[i];
	r->c = t->counts[p][i];
	/*
	 * Which layers occur is known at the end only.  More slots than they
	 * have experts change nothing, so the largest size stands for all.
	 */
	if (t->ladder && r->slots >= t->all) {
		if (i + 1 < t->nslots)
			return false;
		r->slots = t->all;
	}
	fill(r, t);
	return true;
}

/* A number with its fraction, or without, after a tab. */
static void
put(double x)
{
	if (isnan(x))
		fputs("\t-", stdout);
	else
		printf("\t%.6g", x);
}

static void
put_whole(double x)
{
	if (isnan(x))
		fputs("\t-", stdout);
	else
		printf("\t%.0f", x);
}

static void
put_row(const struct row *r)
{
	const struct k3_cache_counts *c = &r->c;

	printf("%s\t%" PRIu64, r->policy, r->slots);
	put(r->share);
	put_whole(r->bytes);
	printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
	    c->demands, c->hits, c->misses, c->evictions, c->bypassed);
	put(r->hit_rate);
	put_whole(r->token_bytes);
	put(r->seconds);
	putchar('\n');
}

/* As in the table; null for what is not known. */
static struct k3_json *
whole(double x)
{
	if (isnan(x))
		return k3_json_pack("n");
	return x < 0x1p63 ? k3_json_pack("I", (int64_t)x)
			  : k3_json_pack("f", x);
}

static struct k3_json *
real(double x)
{
	char text[32];

	if (isnan(x))
		return k3_json_pack("n");
	snprintf(text, sizeof(text), "%.6g", x);
	return k3_json_pack("f", strtod(text, NULL));
}

static struct k3_json *
row_json(const struct row *r)
{
	return k3_json_pack("{s:s,s:I,s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o}",
	    "policy", r->policy, "slots", (int64_t)r->slots, "share",
	    real(r->share), "bytes", whole(r->bytes), "demands",
	    (int64_t)r->c.demands, "hits", (int64_t)r->c.hits, "misses",
	    (int64_t)r->c.misses, "evictions", (int64_t)r->c.evictions,
	    "bypassed", (int64_t)r->c.bypassed, "hit_rate", real(r->hit_rate),
	    "bytes_a_token", whole(r->token_bytes), "seconds_a_token",
	    real(r->seconds));
}

static void
print_json(const struct trace_cache *t)
{
	struct k3_json *rows = k3_json_pack("[]");
	struct k3_err err;
	struct row r;

	for (size_t p = 0; p < t->npolicy; p++)
		for (size_t i = 0; i < t->nslots; i++)
			if (get(t, p, i, &r))
				rows = k3_json_push(rows, row_json(&r));
	if (k3_json_write(k3_json_pack("{s:I,s:I,s:o,s:o}", "tokens",
			      (int64_t)t->tokens, "all_slots", (int64_t)t->all,
			      "expert_bytes",
			      whole(t->expert_bytes > 0
					? (double)t->expert_bytes
					: NAN),
			      "rows", rows),
		true, stdout, "<stdout>", &err) != 0)
		tool_die(&err);
	putchar('\n');
}

void
trace_cache_print(const struct trace_cache *t)
{
	struct row r;

	if (t->json) {
		print_json(t);
		return;
	}
	puts("policy\tslots\tshare\tbytes\tdemands\thits\tmisses\tevictions\t"
	     "bypassed\thit_rate\tbytes_a_token\tseconds_a_token");
	for (size_t p = 0; p < t->npolicy; p++)
		for (size_t i = 0; i < t->nslots; i++)
			if (get(t, p, i, &r))
				put_row(&r);
}
