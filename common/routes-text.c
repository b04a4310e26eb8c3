/*
 * routes-text.c - lines of routes are read
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/routes-impl.h"

#define FIELDS 7

static const char *const field_name[FIELDS + 1] = { "the first line", "a pass",
	"a kind", "a sequence", "a position", "a layer", "an expert",
	"a weight" };

/* Without its article. */
static const char *
bare(unsigned field)
{
	return strchr(field_name[field], ' ') + 1;
}

static inline int
look(struct k3_routes *r)
{
	return r->p < r->end ? *r->p : k3_routes_fill(r);
}

/* Say what is wrong with the byte that comes next. */
static int
strange(struct k3_routes *r, struct k3_err *err)
{
	const char *name = field_name[r->field];
	int c = look(r);

	if (c == -1)
		return k3_routes_fail(r, err,
		    "no newline at its end: it was cut short");
	if (c == '\n' && r->field > 0 && r->field < FIELDS)
		return k3_routes_fail(r, err, "%u fields, want %u", r->field,
		    FIELDS);
	if (c == '\t' && r->field == FIELDS)
		return k3_routes_fail(r, err, "more than %u fields", FIELDS);
	if (c > ' ' && c < 0x7f)
		return k3_routes_fail(r, err, "'%c' is not part of %s", c,
		    name);
	return k3_routes_fail(r, err, "byte 0x%02x is not part of %s",
	    (unsigned)c, name);
}

static int
want(struct k3_routes *r, int c, struct k3_err *err)
{
	if (look(r) != c)
		return strange(r, err);
	r->p++;
	return 0;
}

static int
want_text(struct k3_routes *r, const char *text, struct k3_err *err)
{
	for (; *text != '\0'; text++)
		if (want(r, *text, err) != 0)
			return -1;
	return 0;
}

/* A number from 0 to 'max'. */
static int
number(struct k3_routes *r, const char *name, uint64_t max, uint64_t *v,
    struct k3_err *err)
{
	int c = look(r), first = c, digits = 0;

	*v = 0;
	for (; c >= '0' && c <= '9'; c = look(r)) {
		if (first == '0' && digits > 0)
			return k3_routes_fail(r, err, "%s with a leading zero",
			    name);
		if (*v > UINT64_MAX / 100)
			return k3_routes_fail(r, err, "%s is above %" PRIu64,
			    name, max);
		*v = *v * 10 + (uint64_t)(c - '0');
		digits++;
		r->p++;
	}
	if (digits == 0)
		return strange(r, err);
	if (*v > max)
		return k3_routes_fail(r, err,
		    "%s %" PRIu64 " is above %" PRIu64, name, *v, max);
	return 0;
}

/* The next field, a number, and the tab after it. */
static int
number_field(struct k3_routes *r, uint64_t max, uint64_t *v, struct k3_err *err)
{
	r->field++;
	return number(r, bare(r->field), max, v, err) == 0 &&
		       want(r, '\t', err) == 0
		   ? 0
		   : -1;
}

/* Is there another item of a list, of which 'n' are there?  'end' ends it.
 * 1, 0 or -1. */
static int
another(struct k3_routes *r, uint32_t n, int end, struct k3_err *err)
{
	int c = look(r);

	if (c == end && n == r->shape.topk) {
		r->p++;
		return 0;
	}
	if (c == ',' && n == r->shape.topk)
		return k3_routes_fail(r, err, "more than %" PRIu32 " %ss", n,
		    bare(r->field));
	if (c == end)
		return k3_routes_fail(r, err, "%" PRIu32 " %ss, want %" PRIu32,
		    n, bare(r->field), r->shape.topk);
	return want(r, ',', err) == 0 ? 1 : -1;
}

static int
experts(struct k3_routes *r, struct k3_err *err)
{
	uint32_t n = 0;
	uint64_t v;
	int more;

	r->field++;
	do {
		if (number(r, "expert", r->shape.experts - 1, &v, err) != 0)
			return -1;
		if (n > 0 && v <= r->expert[n - 1])
			return k3_routes_fail(r, err,
			    "experts do not rise: %" PRIu64 " after %" PRIu32,
			    v, r->expert[n - 1]);
		r->expert[n++] = (uint32_t)v;
	} while ((more = another(r, n, '\t', err)) == 1);
	return more;
}

/* One weight, of which what was read so far stands in 'text', 'len' bytes. */
static int
weight(struct k3_routes *r, char text[static 32], size_t len, float *value,
    struct k3_err *err)
{
	int c;

	while ((c = look(r)) > ' ' && c < 0x7f && c != ',' && len < 31) {
		text[len++] = (char)c;
		r->p++;
	}
	text[len] = '\0';
	if (len == 0 || c == -1)
		return strange(r, err);
	*value = k3_routes_weight(text);
	if (isfinite(*value))
		return 0;
	return k3_routes_fail(r, err, "weight '%s' is not a finite number",
	    text);
}

/* The last field and the newline; '*known' says whether it has weights. */
static int
weights(struct k3_routes *r, bool *known, struct k3_err *err)
{
	uint32_t n = 0;
	char text[32];
	size_t len = 0;
	int more;

	r->field++;
	*known = true;
	if (look(r) == '-') {
		text[len++] = '-';
		r->p++;
		*known = look(r) >= '0' && look(r) <= '9';
	}
	if (!*known)
		return want(r, '\n', err);
	do {
		if (weight(r, text, len, &r->weight[n++], err) != 0)
			return -1;
		len = 0;
	} while ((more = another(r, n, '\n', err)) == 1);
	return more;
}

static int
kind(struct k3_routes *r, struct k3_route *route, struct k3_err *err)
{
	int c;

	r->field++;
	c = look(r);
	if (c != 'p' && c != 'd')
		return strange(r, err);
	route->kind = (char)c;
	r->p++;
	return want(r, '\t', err);
}

/* Does this line stand where it may, after the one before? */
static int
check_order(struct k3_routes *r, const struct k3_route *a, struct k3_err *err)
{
	const struct k3_route *b = &r->last;

	if (r->line == 2 || a->pass > b->pass)
		return 0;
	if (a->pass < b->pass)
		return k3_routes_fail(r, err,
		    "pass %" PRIu64 " after pass %" PRIu64, a->pass, b->pass);
	if (a->kind != b->kind)
		return k3_routes_fail(r, err,
		    "kind '%c' in pass %" PRIu64 ", which was of kind '%c'",
		    a->kind, a->pass, b->kind);
	if (a->layer < b->layer)
		return k3_routes_fail(r, err,
		    "layer %" PRIu32 " after layer %" PRIu32
		    " in pass %" PRIu64,
		    a->layer, b->layer, a->pass);
	if (a->layer > b->layer || a->sequence > b->sequence ||
	    (a->sequence == b->sequence && a->position > b->position))
		return 0;
	return k3_routes_fail(r, err,
	    "sequence %" PRIu64 " position %" PRIu64 " after sequence %" PRIu64
	    " position %" PRIu64 " in pass %" PRIu64 " layer %" PRIu32,
	    a->sequence, a->position, b->sequence, b->position, a->pass,
	    a->layer);
}

int
k3_routes_text_next(struct k3_routes *r, struct k3_err *err)
{
	struct k3_route a = { .n = r->shape.topk };
	uint64_t layer;
	bool known;
	int c = look(r);

	if (c == -1 && r->failed == 0)
		return 0;
	r->line++;
	r->field = 0;
	if (c == '#')
		return k3_routes_fail(r, err,
		    "another first line: streams cannot be joined");
	if (number_field(r, K3_ROUTES_MAX - 1, &a.pass, err) != 0 ||
	    kind(r, &a, err) != 0 ||
	    number_field(r, K3_ROUTES_MAX - 1, &a.sequence, err) != 0 ||
	    number_field(r, K3_MAX_SIZE - 1, &a.position, err) != 0 ||
	    number_field(r, r->shape.layers - 1, &layer, err) != 0)
		return -1;
	a.layer = (uint32_t)layer;
	if (check_order(r, &a, err) != 0 || experts(r, err) != 0 ||
	    weights(r, &known, err) != 0)
		return -1;
	a.expert = r->expert;
	a.weight = known ? r->weight : NULL;
	r->last = a;
	return 1;
}

static int
head_number(struct k3_routes *r, const char *text, const char *name,
    uint32_t max, uint32_t *v, struct k3_err *err)
{
	uint64_t got;

	if (want_text(r, text, err) != 0 ||
	    number(r, name, max, &got, err) != 0)
		return -1;
	*v = (uint32_t)got;
	if (*v == 0)
		return k3_routes_fail(r, err, "%s 0 (want 1 to %" PRIu32 ")",
		    name, max);
	return 0;
}

int
k3_routes_text_head(struct k3_routes *r, struct k3_err *err)
{
	struct k3_routes_shape *s = &r->shape;
	uint64_t version;

	r->line = 1;
	if (r->end - r->p < 10 || memcmp(r->p, "#k3-route ", 10) != 0)
		return k3_routes_fail(r, err,
		    "want '#k3-route 1 layers=L experts=E topk=K'");
	r->p += 10;
	if (number(r, "version", UINT32_MAX, &version, err) != 0)
		return -1;
	if (version != 1)
		return k3_routes_fail(r, err, "version %" PRIu64 ", want 1",
		    version);
	if (head_number(r, " layers=", "layers", K3_MAX_LAYERS, &s->layers,
		err) != 0 ||
	    head_number(r, " experts=", "experts", K3_MAX_EXPERTS, &s->experts,
		err) != 0 ||
	    head_number(r, " topk=", "topk", s->experts, &s->topk, err) != 0)
		return -1;
	return want(r, '\n', err);
}
