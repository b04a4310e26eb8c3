/*
 * verify-diff-pair.c - two layer files: which tensors are compared, and what
 * differs without being an element
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/verify-diff.h"

#define SHAPE 128

static int
by_name(const void *a, const void *b)
{
	const struct k3_layer_tensor *const *s = a, *const *t = b;

	return strcmp((*s)->name, (*t)->name);
}

static bool
alike(const struct k3_layer_tensor *s, const struct k3_layer_tensor *t)
{
	bool same =
	    s->dtype == t->dtype && s->grows == t->grows && s->ndim == t->ndim;

	for (unsigned i = s->grows ? 1 : 0; same && i < s->ndim; i++)
		same = s->dim[i] == t->dim[i];
	return same;
}

/* A vector is one row; so is no dimension of a tensor that grows. */
static uint64_t
width(const struct k3_layer_tensor *t)
{
	uint64_t n = 1;

	for (unsigned i = t->grows || t->ndim > 1; i < t->ndim; i++)
		n *= t->dim[i];
	return n;
}

static const char *
row_name(const struct k3_layer *l, const struct k3_layer_tensor *t)
{
	if (t->grows && l->kind == K3_LAYER_HIDDEN)
		return "token";
	return t->grows || t->ndim > 1 ? "row" : "";
}

/* Tables may have any order, and 65,535 names. */
static int
find_twins(struct diff_pair *p, struct k3_err *err)
{
	const struct k3_layer_tensor **sorted, *key, **hit;
	uint32_t n = p->b->ntensor;

	sorted = calloc(n + (size_t)1, sizeof(struct k3_layer_tensor *));
	if (sorted == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate a table of %" PRIu32 " tensors", n);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &p->b->tensor[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (uint32_t i = 0; i < p->a->ntensor; i++) {
		key = &p->a->tensor[i];
		hit = bsearch(&key, sorted, n, sizeof(*sorted), by_name);
		p->twin[i] = DIFF_NONE;
		if (hit == NULL)
			continue;
		p->twin[i] = (uint32_t)(*hit - p->b->tensor);
		p->wanted[p->twin[i]] = true;
		p->t[i].compared = alike(key, *hit);
	}
	free(sorted);
	return 0;
}

int
diff_pair_init(struct diff *d, struct diff_pair *p, struct k3_err *err)
{
	const struct k3_layer *a = p->a;
	size_t n = a->ntensor + (size_t)1;

	p->twin = calloc(n, sizeof(*p->twin));
	p->wanted = calloc(p->b->ntensor + (size_t)1, sizeof(*p->wanted));
	p->t = calloc(n, sizeof(*p->t));
	if (p->twin == NULL || p->wanted == NULL || p->t == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate what is known of %zu tensors", n);
	snprintf(p->layer, sizeof(p->layer), "%" PRIu32, a->layer);
	if (a->kind == K3_LAYER_HEAD)
		strcpy(p->layer, "head");
	for (uint32_t i = 0; i < a->ntensor; i++) {
		const struct k3_layer_tensor *t = &a->tensor[i];

		p->t[i] = (struct diff_tensor){ .layer = p->layer,
			.name = t->name,
			.row = row_name(a, t),
			.grows = t->grows };
		k3_compare_init(&p->t[i].c, t->dtype, width(t), &d->limit);
	}
	return find_twins(p, err);
}

void
diff_pair_fini(struct diff_pair *p)
{
	free(p->twin);
	free(p->wanted);
	free(p->t);
}

/* "F32 [rows][60]" */
static const char *
shape(const struct k3_layer_tensor *t, char buf[SHAPE])
{
	static const char *const dtype[K3_NDTYPE] = { "F32", "BF16", "U8",
		"U32" };
	int n = snprintf(buf, SHAPE, "%s ", dtype[t->dtype]);

	for (unsigned i = 0; i < t->ndim; i++)
		n += t->grows && i == 0
			 ? snprintf(buf + n, SHAPE - (size_t)n, "[rows]")
			 : snprintf(buf + n, SHAPE - (size_t)n, "[%" PRIu64 "]",
			       t->dim[i]);
	return buf;
}

static bool
tables_differ(struct diff *d, const struct diff_pair *p)
{
	const struct k3_layer *a = p->a, *b = p->b;
	const char *only_a = d->name[p->turned], *only_b = d->name[!p->turned];
	char s[2][SHAPE];
	bool found = false;

	for (uint32_t i = 0; i < a->ntensor; i++) {
		if (p->t[i].compared)
			continue;
		found = true;
		if (p->twin[i] == DIFF_NONE) {
			diff_found(d, "layer %s tensor %s: only '%s' has it",
			    p->layer, a->tensor[i].name, only_a);
			continue;
		}
		shape(&a->tensor[i], s[p->turned]);
		shape(&b->tensor[p->twin[i]], s[!p->turned]);
		diff_found(d, "layer %s tensor %s: %s and %s", p->layer,
		    a->tensor[i].name, s[0], s[1]);
	}
	for (uint32_t i = 0; i < b->ntensor; i++)
		if (!p->wanted[i]) {
			found = true;
			diff_found(d, "layer %s tensor %s: only '%s' has it",
			    p->layer, b->tensor[i].name, only_b);
		}
	return found;
}

/* Each pair of models is named once, not for each layer. */
static bool
models_differ(struct diff *d, const struct k3_layer *one,
    const struct k3_layer *two)
{
	char hex[2][K3_HEX128];

	if (memcmp(one->fingerprint, two->fingerprint, K3_DIGEST128) == 0)
		return false;
	if (memcmp(one->fingerprint, d->print[0], K3_DIGEST128) == 0 &&
	    memcmp(two->fingerprint, d->print[1], K3_DIGEST128) == 0)
		return true;
	memcpy(d->print[0], one->fingerprint, K3_DIGEST128);
	memcpy(d->print[1], two->fingerprint, K3_DIGEST128);
	k3_digest_hex(one->fingerprint, hex[0]);
	k3_digest_hex(two->fingerprint, hex[1]);
	diff_found(d, "fingerprints of the models: %s and %s", hex[0], hex[1]);
	return true;
}

bool
diff_pair_found(struct diff *d, const struct diff_pair *p)
{
	const struct k3_layer *one = p->turned ? p->b : p->a;
	const struct k3_layer *two = p->turned ? p->a : p->b;
	bool found = models_differ(d, one, two);

	if (one->kind != two->kind) {
		found = true;
		diff_found(d, "layer %s: of kind %s and %s", p->layer,
		    k3_layer_kind_name(one->kind),
		    k3_layer_kind_name(two->kind));
	}
	if (one->layer != two->layer) {
		found = true;
		diff_found(d, "layers %" PRIu32 " and %" PRIu32, one->layer,
		    two->layer);
	}
	if (one->rows != two->rows) {
		found = true;
		diff_found(d, "layer %s: %" PRIu64 " and %" PRIu64 " rows",
		    p->layer, one->rows, two->rows);
	}
	return tables_differ(d, p) || found;
}
