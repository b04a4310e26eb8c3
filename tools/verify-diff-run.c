/*
 * verify-diff-run.c - two run reports: was it the same run?
 *
 * Prompts may have been cut into other passes, so that what is compared are
 * positions of sequences: the ID that was fed there, and where both runs have
 * logits, these and what was chosen from them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/verify-diff-run.h"

/* A position of a sequence. */
struct token {
	uint64_t sequence, position;
	uint32_t id;
	const struct k3_run_pass *pass;
	bool chosen; /* has its pass logits of it? */
};

struct tokens {
	struct token *t;
	size_t n;
};

static int
by_place(const void *a, const void *b)
{
	const struct token *s = a, *t = b;

	if (s->sequence != t->sequence)
		return s->sequence < t->sequence ? -1 : 1;
	if (s->position != t->position)
		return s->position < t->position ? -1 : 1;
	return 0;
}

/* In the order of sequences and positions, whatever that of passes was. */
static int
collect(struct tokens *to, const struct k3_run *run, const char *name,
    struct k3_err *err)
{
	struct token *t;
	size_t n = 0;

	for (size_t i = 0; i < run->npass; i++)
		n += run->pass[i].n;
	to->t = t = calloc(n + 1, sizeof(*t));
	if (t == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate %zu tokens", n);
	for (size_t i = 0; i < run->npass; i++) {
		const struct k3_run_pass *pass = &run->pass[i];

		for (size_t k = 0; k < pass->n; k++)
			t[to->n++] = (struct token){ pass->sequence,
				pass->position + k, pass->ids[k], pass,
				pass->chosen && k == pass->n - 1 };
	}
	qsort(t, n, sizeof(*t), by_place);
	for (size_t i = 1; i < n; i++)
		if (by_place(&t[i - 1], &t[i]) == 0)
			return k3_fail(err, EX_DATAERR,
			    "'%s': position %" PRIu64 " of sequence %" PRIu64
			    " is there twice",
			    name, t[i].position, t[i].sequence);
	return 0;
}

/* What differs at a position that both have, or NULL. */
static const char *
part(const struct token *a, const struct token *b, bool *logits)
{
	*logits = a->chosen && b->chosen;
	if (a->id != b->id)
		return "id";
	if (!*logits)
		return NULL;
	if (a->pass->logits != b->pass->logits)
		return "logits";
	return a->pass->next != b->pass->next ? "next" : NULL;
}

static void
merge(struct diff_run *r, const struct tokens *a, const struct tokens *b)
{
	size_t i = 0, k = 0;
	bool logits;
	int order;

	while (i < a->n || k < b->n) {
		order = i == a->n   ? 1
			: k == b->n ? -1
				    : by_place(&a->t[i], &b->t[k]);
		if (order != 0) {
			r->only[order > 0]++;
			i += order < 0;
			k += order > 0;
			continue;
		}
		r->what = part(&a->t[i], &b->t[k], &logits);
		if (r->what != NULL) {
			r->sequence = a->t[i].sequence;
			r->position = a->t[i].position;
			r->id[0] = a->t[i].id;
			r->id[1] = b->t[k].id;
			r->pass[0] = a->t[i].pass;
			r->pass[1] = b->t[k].pass;
			return;
		}
		r->tokens++;
		r->logits += logits;
		i++;
		k++;
	}
}

static int
load(struct k3_run *run, const char *path, const char *name, struct k3_err *err)
{
	uint64_t size;
	FILE *fp = diff_open(path, &size, err);
	int bad;

	if (fp == NULL)
		return -1;
	bad = k3_run_read(run, fp, name, err);
	diff_close(fp);
	return bad;
}

static enum diff_verdict
judge(const struct diff_run *r)
{
	if (strcmp(r->run[0].fingerprint, r->run[1].fingerprint) != 0)
		return DIFF_MODELS;
	if (r->what != NULL)
		return DIFF_DIFFERENT;
	if (r->only[0] > 0 || r->only[1] > 0)
		return r->tokens > 0 ? DIFF_SHORTER : DIFF_NOTHING;
	/* Nothing was fed: then nothing is missing. */
	return r->logits > 0 || r->tokens == 0 ? DIFF_SAME : DIFF_NOTHING;
}

int
diff_runs(struct diff *d, const char *const path[2], struct k3_err *err)
{
	struct diff_run r = { .what = NULL };
	struct tokens t[2] = { { .n = 0 }, { .n = 0 } };
	int bad = 0;

	for (int i = 0; i < 2 && bad == 0; i++)
		bad = load(&r.run[i], path[i], d->name[i], err) != 0 ||
		      collect(&t[i], &r.run[i], d->name[i], err) != 0;
	if (bad == 0) {
		if (strcmp(r.run[0].fingerprint, r.run[1].fingerprint) == 0)
			merge(&r, &t[0], &t[1]);
		r.verdict = judge(&r);
		diff_run_show(d, &r);
	}
	for (int i = 0; i < 2; i++) {
		free(t[i].t);
		k3_run_free(&r.run[i]);
	}
	return bad ? -1 : r.verdict != DIFF_SAME;
}
