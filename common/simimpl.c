/*
 * simimpl.c - the policies of a replay, as simcache.c runs them
 *
 * Constant work per demand, but for belady: it keeps a tournament of the
 * slots' next demands, whose winner is the one farthest away.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/simimpl.h"

#define NONE K3_SIM_NONE

/* All 'n' groups are spare; the first, which is lru's only one, is empty. */
static void
open_groups(struct k3_sim_size *z, uint32_t n)
{
	for (uint32_t g = 0; g < n; g++)
		z->group[g].more = g + 1 < n ? g + 1 : NONE;
	z->least = NONE;
	z->group[0].oldest = z->group[0].newest = NONE;
}

int
k3_sim_open(struct k3_sim_size *z, enum k3_sim_policy policy, uint64_t keys)
{
	size_t n = z->slots, groups = policy == K3_SIM_LRU ? 1 : n + 1;

	z->where = malloc((keys + 1) * sizeof(*z->where));
	if (z->where == NULL)
		return -1;
	memset(z->where, 0xff, keys * sizeof(*z->where));
	if (policy == K3_SIM_BELADY) {
		z->held = malloc((n + 1) * sizeof(*z->held));
		z->tree = calloc(2 * n + 1, sizeof(*z->tree));
		return z->held != NULL && z->tree != NULL ? 0 : -1;
	}
	z->slot = malloc((n + 1) * sizeof(*z->slot));
	z->group = malloc(groups * sizeof(*z->group));
	if (z->slot == NULL || z->group == NULL)
		return -1;
	open_groups(z, (uint32_t)groups);
	return 0;
}

void
k3_sim_close(struct k3_sim_size *z)
{
	free(z->where);
	free(z->held);
	free(z->tree);
	free(z->slot);
	free(z->group);
	k3_cache_close(z->own);
}

/* Slot 'i' leaves the list of group 'g', or becomes its newest. */
static void
take(struct k3_sim_size *z, struct k3_sim_group *g, uint32_t i)
{
	const struct k3_sim_slot *s = &z->slot[i];

	if (s->older != NONE)
		z->slot[s->older].newer = s->newer;
	else
		g->oldest = s->newer;
	if (s->newer != NONE)
		z->slot[s->newer].older = s->older;
	else
		g->newest = s->older;
}

static void
put(struct k3_sim_size *z, struct k3_sim_group *g, uint32_t i)
{
	struct k3_sim_slot *s = &z->slot[i];

	s->newer = NONE;
	s->older = g->newest;
	if (s->older != NONE)
		z->slot[s->older].newer = i;
	else
		g->oldest = i;
	g->newest = i;
}

/* Key 'k' moves into slot 'i', which is new or whose key, 'was', leaves. */
static void
move_in(struct k3_sim_size *z, uint32_t k, uint32_t i, uint32_t *was)
{
	if (i == z->used) {
		z->used++;
	} else {
		z->where[*was] = NONE;
		z->counts.evictions++;
	}
	*was = k;
	z->where[k] = i;
}

void
k3_sim_lru(struct k3_sim_size *z, const uint32_t *key, const uint64_t *note,
    size_t n)
{
	struct k3_sim_group *all = &z->group[0];

	(void)note;
	for (size_t d = 0; d < n; d++) {
		uint32_t i = z->where[key[d]];

		if (i != NONE) {
			z->counts.hits++;
			take(z, all, i);
		} else {
			i = z->used;
			if (i == z->slots) {
				i = all->oldest;
				take(z, all, i);
			}
			move_in(z, key[d], i, &z->slot[i].key);
		}
		put(z, all, i);
	}
}

/* The group of 'count' after group 'g', or as the first: new, if need be. */
static uint32_t
group_after(struct k3_sim_size *z, uint32_t g, uint64_t count)
{
	uint32_t *link = g == NONE ? &z->least : &z->group[g].more;
	uint32_t more = *link, new = z->spare;

	if (more != NONE && z->group[more].count == count)
		return more;
	z->spare = z->group[new].more;
	z->group[new] = (struct k3_sim_group){ count, NONE, NONE, g, more };
	if (more != NONE)
		z->group[more].fewer = new;
	*link = new;
	return new;
}

/* Slot 'i' goes from group 'from', which may be empty then, to group 'to'. */
static void
regroup(struct k3_sim_size *z, uint32_t i, uint32_t from, uint32_t to)
{
	struct k3_sim_group *g = &z->group[from];

	take(z, g, i);
	put(z, &z->group[to], i);
	z->slot[i].group = to;
	if (g->oldest != NONE)
		return;
	if (g->fewer != NONE)
		z->group[g->fewer].more = g->more;
	else
		z->least = g->more;
	if (g->more != NONE)
		z->group[g->more].fewer = g->fewer;
	g->more = z->spare;
	z->spare = from;
}

/*
 * A key comes back to a full cache with the least count in it, or one more: the
 * least count never falls, and was above the key's when the key was bypassed,
 * or equal when it was evicted.  So its group is near.
 */
static void
lfu_miss(struct k3_sim_size *z, uint32_t k, uint64_t count)
{
	uint32_t least = z->least, i, to;

	if (z->used < z->slots) {
		i = z->used;
		move_in(z, k, i, &z->slot[i].key);
		z->slot[i].group = group_after(z, NONE, count);
		put(z, &z->group[z->slot[i].group], i);
		return;
	}
	if (count < z->group[least].count) {
		z->counts.bypassed++;
		return;
	}
	assert(count - z->group[least].count <= 1);
	to = count == z->group[least].count ? least
					    : group_after(z, least, count);
	i = z->group[least].oldest;
	move_in(z, k, i, &z->slot[i].key);
	regroup(z, i, least, to);
}

void
k3_sim_lfu(struct k3_sim_size *z, const uint32_t *key, const uint64_t *note,
    size_t n)
{
	for (size_t d = 0; d < n; d++) {
		uint32_t i = z->where[key[d]];

		if (i == NONE) {
			lfu_miss(z, key[d], note[d]);
			continue;
		}
		z->counts.hits++;
		regroup(z, i, z->slot[i].group,
		    group_after(z, z->slot[i].group, note[d]));
	}
}

/* Slot 'i' is wanted next at 'when'; a node is the later of two. */
static void
set(uint64_t *tree, uint32_t slots, uint32_t i, uint64_t when)
{
	uint32_t x = slots + i;

	for (tree[x] = when; x > 1; x /= 2) {
		uint64_t later = tree[x] > tree[x ^ 1] ? tree[x] : tree[x ^ 1];

		if (tree[x / 2] == later)
			return;
		tree[x / 2] = later;
	}
}

void
k3_sim_belady(struct k3_sim_size *z, const uint32_t *key, const uint64_t *note,
    size_t n)
{
	for (size_t d = 0; d < n; d++) {
		uint32_t i = z->where[key[d]];

		if (i != NONE) {
			z->counts.hits++;
		} else {
			i = z->used;
			if (i == z->slots) {
				for (i = 1; i < z->slots;) {
					i *= 2;
					i += z->tree[i] != z->tree[1];
				}
				i -= z->slots;
			}
			move_in(z, key[d], i, &z->held[i]);
		}
		set(z->tree, z->slots, i, note[d]);
	}
}
