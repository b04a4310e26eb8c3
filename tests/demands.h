/*
 * demands.h - recorded routes as demands of a cache
 */
#ifndef K3_TESTS_DEMANDS_H
#define K3_TESTS_DEMANDS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/le.h"
#include "common/simcache.h"

/* One demand; those of a pass and layer that adjoin are one visit. */
struct demand {
	uint32_t pass, layer, expert;
};

struct demands {
	uint32_t layers, experts, topk;
	const struct demand *demand;
	size_t n;
};

static inline void
demands_add(struct demands *sim, struct demand **d, size_t *room,
    struct demand x)
{
	if (sim->n == *room) {
		*room = *room * 2 + 1024;
		*d = realloc(*d, *room * sizeof(**d));
		if (*d == NULL)
			abort();
	}
	(*d)[sim->n++] = x;
	sim->demand = *d;
}

/* A k3-route stream: each expert of a pass and layer once, rising. */
static inline bool
demands_route(const char *path, struct demands *sim)
{
	FILE *fp = fopen(path, "r");
	static char line[4096], list[4096];
	static bool picked[4096];
	struct demand x = { 0, 0, 0 }, *d = NULL;
	uint32_t pass = 0, layer = 0;
	size_t room = 0;

	memset(sim, 0, sizeof(*sim));
	if (fp == NULL)
		return false;
	if (fscanf(fp, "#k3-route 1 layers=%u experts=%u topk=%u\n",
		&sim->layers, &sim->experts, &sim->topk) != 3)
		abort();
	for (bool more = true; more;) {
		more = fgets(line, sizeof(line), fp) != NULL;
		if (more && sscanf(line, "%u %*c %*u %*u %u %s", &pass, &layer,
				list) != 3)
			abort();
		if (!more || pass != x.pass || layer != x.layer)
			for (x.expert = 0; x.expert < sim->experts; x.expert++)
				if (picked[x.expert]) {
					demands_add(sim, &d, &room, x);
					picked[x.expert] = false;
				}
		x.pass = pass;
		x.layer = layer;
		for (char *e = strtok(list, ","); more && e != NULL;
		     e = strtok(NULL, ","))
			picked[strtoul(e, NULL, 10) % 4096] = true;
	}
	fclose(fp);
	return true;
}

/* Pairs of int32 (layer, expert), in their order; a pass begins where the
 * layer falls. */
static inline bool
demands_pairs(const char *path, uint32_t layers, uint32_t experts,
    uint32_t topk, struct demands *sim)
{
	FILE *fp = fopen(path, "rb");
	struct demand x = { 0, 0, 0 }, *d = NULL;
	uint8_t b[8];
	size_t room = 0;

	*sim = (struct demands){ layers, experts, topk, NULL, 0 };
	if (fp == NULL)
		return false;
	while (fread(b, sizeof(b), 1, fp) == 1) {
		uint32_t layer = k3_le_get32(b);

		x.pass += layer < x.layer;
		x.layer = layer;
		x.expert = k3_le_get32(b + 4);
		demands_add(sim, &d, &room, x);
	}
	fclose(fp);
	return true;
}

/*
 * Feed them to a replay, visit by visit, with temporary files in 'dir';
 * k3_simcache_finish()'s result.
 */
static inline int
demands_replay_in(const struct demands *sim, enum k3_sim_policy policy,
    const uint32_t *slots, size_t nsize, struct k3_cache_counts *counts,
    const char *dir, struct k3_err *err)
{
	struct k3_simcache_ask ask = { sim->layers, sim->experts, sim->topk,
		policy, slots, nsize, dir };
	struct k3_simcache *replay = k3_simcache_open(&ask, err);
	uint32_t *list = malloc((sim->n + 1) * sizeof(*list));
	int ret = replay != NULL ? 0 : -1;

	for (size_t d = 0, n; d < sim->n && ret == 0; d += n) {
		const struct demand *v = &sim->demand[d];

		for (n = 0; d + n < sim->n && v[n].pass == v->pass &&
			    v[n].layer == v->layer;
		     n++)
			list[n] = v[n].expert;
		ret = k3_simcache_visit(replay, v->layer, list, n, err);
	}
	if (ret == 0)
		ret = k3_simcache_finish(replay, counts, err);
	k3_simcache_close(replay);
	free(list);
	return ret;
}

static inline int
demands_replay(const struct demands *sim, enum k3_sim_policy policy,
    const uint32_t *slots, size_t nsize, struct k3_cache_counts *counts,
    struct k3_err *err)
{
	return demands_replay_in(sim, policy, slots, nsize, counts, "/tmp",
	    err);
}

static inline void
demands_free(struct demands *sim)
{
	union {
		const void *c;
		void *p;
	} u = { sim->demand };

	free(u.p);
}

#endif
