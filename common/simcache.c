/*
 * simcache.c - what caches of any size and policy would have hit
 *
 * Demands are gathered in blocks.  A block is replayed at one size after the
 * other, so that the tables of a size are fetched into the CPU's caches once a
 * block.  Belady's blocks wait on the disk: when all demands are known, the
 * demand that asks for the same key next is found for each, from the last block
 * to the first, and noted in a second file; then all blocks are replayed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/simimpl.h"
#include "common/spool.h"

/* Of few demands, a size would spend its time on fetching its tables. */
#define BLOCK ((size_t)1 << 17)

/* One that begins in the block; it may go on in the next. */
struct visit {
	size_t at; /* its first demand */
	uint64_t n;
	uint32_t layer;
};

struct k3_simcache {
	struct k3_simcache_ask ask;
	uint64_t keys, demands;
	struct k3_sim_size *size; /* [nsize] */
	uint64_t *known; /* [key]: demands so far, lfu; the next one, belady */
	uint32_t *key;   /* [BLOCK] */
	uint64_t *note;  /* [BLOCK], simimpl.h */
	size_t n;
	struct visit *visit; /* [BLOCK] */
	size_t nvisit;
	int keys_fd, notes_fd; /* belady's blocks, or -1 */
};

static int
open_size(struct k3_simcache *sim, uint32_t slots, struct k3_sim_size *z,
    struct k3_err *err)
{
	struct k3_cache_shape shape = { sim->ask.layers, sim->ask.experts,
		sim->ask.topk, slots };

	/* No more slots than keys are ever filled. */
	if (slots > sim->keys)
		shape.slots = (uint32_t)sim->keys;
	z->slots = shape.slots;
	if (sim->ask.policy != K3_SIM_OWN) {
		if (k3_sim_open(z, sim->ask.policy, sim->keys) == 0)
			return 0;
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'replay': out of memory");
	}
	z->own = k3_cache_open(&shape, err);
	return z->own != NULL ? 0 : -1;
}

struct k3_simcache *
k3_simcache_open(const struct k3_simcache_ask *ask, struct k3_err *err)
{
	struct k3_simcache *sim = calloc(1, sizeof(*sim));

	if (sim == NULL)
		goto nomem;
	sim->ask = *ask;
	sim->ask.slots = NULL;
	sim->keys_fd = sim->notes_fd = -1;
	sim->keys = (uint64_t)ask->layers * ask->experts;
	if (sim->keys > K3_SIM_KEYS) {
		k3_fail(err, EX_DATAERR,
		    "cannot replay %u layers of %u experts: more than %u "
		    "together",
		    ask->layers, ask->experts, K3_SIM_KEYS);
		goto fail;
	}
	sim->size = calloc(ask->nsize + 1, sizeof(*sim->size));
	sim->known = calloc(sim->keys + 1, sizeof(*sim->known));
	sim->key = malloc(BLOCK * sizeof(*sim->key));
	sim->note = malloc(BLOCK * sizeof(*sim->note));
	sim->visit = malloc(BLOCK * sizeof(*sim->visit));
	if (sim->size == NULL || sim->known == NULL || sim->key == NULL ||
	    sim->note == NULL || sim->visit == NULL)
		goto nomem;
	for (size_t i = 0; i < ask->nsize; i++)
		if (open_size(sim, ask->slots[i], &sim->size[i], err) != 0)
			goto fail;
	return sim;
nomem:
	k3_fail(err, EX_OSERR, "cannot allocate 'replay': out of memory");
fail:
	k3_simcache_close(sim);
	return NULL;
}

void
k3_simcache_close(struct k3_simcache *sim)
{
	if (sim == NULL)
		return;
	for (size_t i = 0; i < sim->ask.nsize && sim->size != NULL; i++)
		k3_sim_close(&sim->size[i]);
	if (sim->keys_fd != -1)
		close(sim->keys_fd);
	if (sim->notes_fd != -1)
		close(sim->notes_fd);
	free(sim->size);
	free(sim->known);
	free(sim->key);
	free(sim->note);
	free(sim->visit);
	free(sim);
}

static void
own(const struct k3_simcache *sim, struct k3_cache *cache)
{
	const struct visit *v = sim->visit, *end = v + sim->nvisit;

	for (size_t d = 0; d < sim->n; d++) {
		for (; v < end && v->at == d; v++)
			k3_cache_visit(cache, v->layer, v->n);
		k3_cache_demand(cache, sim->key[d] % sim->ask.experts);
	}
	for (; v < end; v++)
		k3_cache_visit(cache, v->layer, v->n);
}

/* The block, at each size. */
static void
replay(struct k3_simcache *sim)
{
	void (*policy)(struct k3_sim_size * z, const uint32_t *key,
	    const uint64_t *note, size_t n) = k3_sim_belady;

	if (sim->ask.policy == K3_SIM_LRU)
		policy = k3_sim_lru;
	else if (sim->ask.policy == K3_SIM_LFU)
		policy = k3_sim_lfu;
	for (size_t i = 0; i < sim->ask.nsize; i++) {
		struct k3_sim_size *z = &sim->size[i];

		if (z->own != NULL)
			own(sim, z->own);
		else if (z->slots > 0)
			policy(z, sim->key, sim->note, sim->n);
	}
	sim->n = sim->nvisit = 0;
}

static int
save_keys(struct k3_simcache *sim, struct k3_err *err)
{
	if (sim->keys_fd == -1)
		sim->keys_fd = k3_spool_open(sim->ask.dir, err);
	if (sim->keys_fd == -1 ||
	    k3_spool_write(sim->keys_fd, sim->key, sim->n * sizeof(*sim->key),
		(sim->demands - sim->n) * sizeof(*sim->key), sim->ask.dir,
		err) != 0)
		return -1;
	sim->n = 0;
	return 0;
}

/* Room for one more demand, and for a visit. */
static int
make_room(struct k3_simcache *sim, struct k3_err *err)
{
	if (sim->n < BLOCK && sim->nvisit < BLOCK)
		return 0;
	if (sim->ask.policy == K3_SIM_BELADY)
		return save_keys(sim, err);
	replay(sim);
	return 0;
}

int
k3_simcache_visit(struct k3_simcache *sim, uint32_t layer,
    const uint32_t *expert, size_t n, struct k3_err *err)
{
	if (make_room(sim, err) != 0)
		return -1;
	if (sim->ask.policy == K3_SIM_OWN)
		sim->visit[sim->nvisit++] = (struct visit){ sim->n, n, layer };
	for (size_t i = 0; i < n; i++) {
		uint32_t key = layer * sim->ask.experts + expert[i];

		if (layer >= sim->ask.layers || expert[i] >= sim->ask.experts)
			return k3_fail(err, EX_DATAERR,
			    "no expert %u in layer %u: %u layers of %u experts",
			    expert[i], layer, sim->ask.layers,
			    sim->ask.experts);
		if (make_room(sim, err) != 0)
			return -1;
		sim->note[sim->n] = ++sim->known[key];
		sim->key[sim->n++] = key;
		sim->demands++;
	}
	return 0;
}

/* Block 'b' of belady's into memory, unless it is the only one. */
static int
load_keys(struct k3_simcache *sim, uint64_t b, struct k3_err *err)
{
	uint64_t first = b * BLOCK, left = sim->demands - first;

	sim->n = left < BLOCK ? (size_t)left : BLOCK;
	if (sim->keys_fd == -1)
		return 0;
	return k3_spool_read(sim->keys_fd, sim->key, sim->n * sizeof(*sim->key),
	    first * sizeof(*sim->key), sim->ask.dir, err);
}

/* Note which demand asks for the same key next, from the last to the first. */
static int
look_back(struct k3_simcache *sim, uint64_t blocks, struct k3_err *err)
{
	memset(sim->known, 0xff, sim->keys * sizeof(*sim->known));
	for (uint64_t b = blocks; b-- > 0;) {
		uint64_t first = b * BLOCK;

		if (load_keys(sim, b, err) != 0)
			return -1;
		for (size_t d = sim->n; d-- > 0;) {
			sim->note[d] = sim->known[sim->key[d]];
			sim->known[sim->key[d]] = first + d;
		}
		if (sim->notes_fd != -1 &&
		    k3_spool_write(sim->notes_fd, sim->note,
			sim->n * sizeof(*sim->note), first * sizeof(*sim->note),
			sim->ask.dir, err) != 0)
			return -1;
	}
	return 0;
}

static int
finish_belady(struct k3_simcache *sim, struct k3_err *err)
{
	uint64_t blocks = (sim->demands + BLOCK - 1) / BLOCK;

	if (sim->keys_fd != -1) {
		if (save_keys(sim, err) != 0)
			return -1;
		sim->notes_fd = k3_spool_open(sim->ask.dir, err);
		if (sim->notes_fd == -1)
			return -1;
	}
	if (look_back(sim, blocks, err) != 0)
		return -1;
	for (uint64_t b = 0; b < blocks; b++) {
		if (load_keys(sim, b, err) != 0 ||
		    (sim->notes_fd != -1 &&
			k3_spool_read(sim->notes_fd, sim->note,
			    sim->n * sizeof(*sim->note),
			    b * BLOCK * sizeof(*sim->note), sim->ask.dir,
			    err) != 0))
			return -1;
		replay(sim);
	}
	return 0;
}

int
k3_simcache_finish(struct k3_simcache *sim, struct k3_cache_counts *counts,
    struct k3_err *err)
{
	if (sim->ask.policy != K3_SIM_BELADY)
		replay(sim);
	else if (finish_belady(sim, err) != 0)
		return -1;
	for (size_t i = 0; i < sim->ask.nsize; i++) {
		const struct k3_sim_size *z = &sim->size[i];

		if (z->own != NULL) {
			counts[i] = *k3_cache_counts(z->own);
			continue;
		}
		counts[i] = z->counts;
		counts[i].demands = sim->demands;
		counts[i].misses = sim->demands - z->counts.hits;
		if (z->slots == 0)
			counts[i].bypassed = counts[i].misses;
	}
	return 0;
}
