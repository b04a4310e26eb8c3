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

static inline void
demands_add(struct k3_simcache *sim, struct k3_demand **d, size_t *room,
    struct k3_demand x)
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
demands_route(const char *path, struct k3_simcache *sim)
{
	FILE *fp = fopen(path, "r");
	static char line[4096], list[4096];
	static bool picked[4096];
	struct k3_demand x = { 0, 0, 0 }, *d = NULL;
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
    uint32_t topk, struct k3_simcache *sim)
{
	FILE *fp = fopen(path, "rb");
	struct k3_demand x = { 0, 0, 0 }, *d = NULL;
	uint8_t b[8];
	size_t room = 0;

	*sim = (struct k3_simcache){ layers, experts, topk, NULL, 0 };
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

static inline void
demands_free(struct k3_simcache *sim)
{
	union {
		const void *c;
		void *p;
	} u = { sim->demand };

	free(u.p);
}

#endif
