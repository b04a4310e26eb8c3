/*
 * routes.c - which experts each token went to, as k3-route(5) defines
 */
#include <inttypes.h>

#include "common/routes.h"

static int
check(FILE *fp, const char *name, struct k3_err *err)
{
	if (!ferror(fp))
		return 0;
	return k3_fail_errno(err, EX_IOERR, "cannot write '%s'", name);
}

int
k3_routes_same_shape(const char *name, const struct k3_routes_shape *s,
    const char *other, const struct k3_routes_shape *want, struct k3_err *err)
{
	const char *quote = other != NULL ? "'" : "";

	if (s->layers == want->layers && s->experts == want->experts &&
	    s->topk == want->topk)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s' line 1: layers=%" PRIu32 " experts=%" PRIu32 " topk=%" PRIu32
	    ", but %s%s%s has layers=%" PRIu32 " experts=%" PRIu32
	    " topk=%" PRIu32,
	    name, s->layers, s->experts, s->topk, quote,
	    other != NULL ? other : "the model", quote, want->layers,
	    want->experts, want->topk);
}

int
k3_routes_head(FILE *fp, const struct k3_cfg *cfg, const char *name,
    struct k3_err *err)
{
	fprintf(fp,
	    "#k3-route 1 layers=%" PRIu32 " experts=%" PRIu32 " topk=%" PRIu32
	    "\n",
	    cfg->nlayer, cfg->experts, cfg->topk);
	return check(fp, name, err);
}

int
k3_routes_put(FILE *fp, const struct k3_route *r, const char *name,
    struct k3_err *err)
{
	fprintf(fp, "%" PRIu64 "\t%c\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32,
	    r->pass, r->kind, r->sequence, r->position, r->layer);
	for (uint32_t i = 0; i < r->n; i++)
		fprintf(fp, "%c%" PRIu32, i == 0 ? '\t' : ',', r->expert[i]);
	if (r->weight == NULL)
		fputs("\t-", fp);
	for (uint32_t i = 0; i < r->n && r->weight != NULL; i++)
		fprintf(fp, "%c%.9g", i == 0 ? '\t' : ',',
		    (double)r->weight[i]);
	putc('\n', fp);
	return check(fp, name, err);
}

int
k3_routes_put_rows(FILE *fp, const struct k3_route *first, size_t tokens,
    const char *name, struct k3_err *err)
{
	struct k3_route r = *first;

	for (; tokens > 0; tokens--) {
		if (k3_routes_put(fp, &r, name, err) != 0)
			return -1;
		r.position++;
		r.expert += r.n;
		if (r.weight != NULL)
			r.weight += r.n;
	}
	return 0;
}
