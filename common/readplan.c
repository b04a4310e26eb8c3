/*
 * readplan.c - the reads that routes ask for, in the order of the engine
 */
#include <inttypes.h>
#include <stdlib.h>

#include "common/fetch.h"
#include "common/readplan.h"

int
k3_readplan_init(struct k3_readplan *p, const struct k3_cfg *cfg,
    const struct k3_st *st, struct k3_err *err)
{
	p->cfg = cfg;
	p->st = st;
	p->open = false;
	p->wanted = calloc((size_t)cfg->experts + 1, sizeof(*p->wanted));
	if (p->wanted != NULL)
		return 0;
	return k3_fail(err, EX_OSERR,
	    "cannot allocate 'readplan': out of memory");
}

void
k3_readplan_fini(struct k3_readplan *p)
{
	free(p->wanted);
}

static int
expert(struct k3_readplan *p, uint32_t e, struct k3_err *err)
{
	struct k3_readplan_read read = { .pass = p->pass,
		.layer = p->layer,
		.expert = e };
	struct k3_loc loc[K3_NPART];
	unsigned n = k3_fetch_reads(p->st, p->layer, e, loc);

	for (unsigned k = 0; k < n; k++) {
		read.loc = loc[k];
		if (p->fn(p->arg, &read, err) != 0)
			return -1;
	}
	return 0;
}

int
k3_readplan_end(struct k3_readplan *p, struct k3_err *err)
{
	for (uint32_t e = 0; e < p->cfg->experts && p->open; e++) {
		if (p->wanted[e] && expert(p, e, err) != 0)
			return -1;
		p->wanted[e] = false;
	}
	p->open = false;
	return 0;
}

int
k3_readplan_add(struct k3_readplan *p, const struct k3_route *route,
    struct k3_err *err)
{
	const struct k3_cfg *cfg = p->cfg;

	if (route->layer < cfg->ndense || route->layer >= cfg->nlayer)
		return k3_fail(err, EX_DATAERR,
		    "layer %" PRIu32 " of this model has no routed experts",
		    route->layer);
	if ((route->pass != p->pass || route->layer != p->layer) &&
	    k3_readplan_end(p, err) != 0)
		return -1;
	p->open = true;
	p->pass = route->pass;
	p->layer = route->layer;
	for (uint32_t i = 0; i < route->n; i++) {
		if (route->expert[i] >= cfg->experts)
			return k3_fail(err, EX_DATAERR,
			    "expert %" PRIu32 " is not below %" PRIu32,
			    route->expert[i], cfg->experts);
		p->wanted[route->expert[i]] = true;
	}
	return 0;
}
