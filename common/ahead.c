/*
 * ahead.c - experts read on a guess, before their layer demands them
 */
#include <stdlib.h>

#include "common/ahead.h"
#include "common/mem.h"

struct k3_ahead {
	struct k3_shards *shards;
	unsigned n;
	uint64_t bytes; /* of a place */
	uint8_t *mem;
	struct k3_ahead_guess *guess; /* [n] */
};

struct k3_ahead *
k3_ahead_open(struct k3_shards *shards, unsigned n, uint64_t bytes,
    struct k3_err *err)
{
	struct k3_ahead *a = calloc(1, sizeof(*a));

	if (a == NULL || (a->guess = calloc(n, sizeof(*a->guess))) == NULL) {
		free(a);
		k3_fail(err, EX_OSERR,
		    "cannot allocate 'lookahead': out of memory");
		return NULL;
	}
	a->shards = shards;
	a->n = n;
	a->bytes = bytes;
	a->mem = k3_mem_alloc(n * bytes, "lookahead", err);
	if (a->mem == NULL) {
		k3_ahead_close(a);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		a->guess[i].place = a->mem + i * bytes;
	return a;
}

void
k3_ahead_close(struct k3_ahead *a)
{
	if (a == NULL)
		return;
	k3_mem_free(a->mem, a->n * a->bytes);
	free(a->guess);
	free(a);
}

int
k3_ahead_touch(struct k3_ahead *a, struct k3_err *err)
{
	return a == NULL
		   ? 0
		   : k3_mem_touch(a->mem, a->n * a->bytes, "lookahead", err);
}

/* Nobody waits for what was guessed wrong: its place is free once it came. */
static struct k3_ahead_guess *
find_free(struct k3_ahead *a)
{
	for (unsigned i = 0; i < a->n; i++) {
		struct k3_ahead_guess *g = &a->guess[i];

		if (!g->open && !g->held &&
		    k3_fetch_done(a->shards->io, &g->fetch))
			return g;
	}
	return NULL;
}

bool
k3_ahead_start(struct k3_ahead *a, unsigned layer, unsigned expert,
    uint64_t *bytes)
{
	struct k3_ahead_guess *g = find_free(a);
	struct k3_fetch_layout l;
	struct k3_err err;

	for (unsigned k = 0; g != NULL && k < g->fetch.n; k++)
		if (g->fetch.read[k].lost)
			return false;
	if (g == NULL)
		return false;
	k3_fetch_layout(a->shards->st, layer, expert, g->place, &l);
	if (k3_fetch_start(&g->fetch, a->shards, layer, expert, &l, false,
		bytes, &err) != 0)
		return false;
	g->layer = layer;
	g->expert = expert;
	g->open = true;
	return true;
}

struct k3_ahead_guess *
k3_ahead_take(struct k3_ahead *a, unsigned layer, unsigned expert)
{
	for (unsigned i = 0; i < a->n; i++) {
		struct k3_ahead_guess *g = &a->guess[i];

		if (!g->open || g->layer != layer || g->expert != expert)
			continue;
		g->open = false;
		g->held = true;
		return g;
	}
	return NULL;
}

unsigned
k3_ahead_drop(struct k3_ahead *a, unsigned layer)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < a->n; i++)
		if (a->guess[i].open && a->guess[i].layer == layer) {
			a->guess[i].open = false;
			wrong++;
		}
	return wrong;
}
