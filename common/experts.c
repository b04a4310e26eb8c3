/*
 * experts.c - the routed experts: wanted, cached, read
 *
 * The least recently wanted expert gives way.  Reads are synchronous.  Slots
 * hold an expert's six parts one after the other, as the released shards do,
 * so that it is one read where they stand so in the file.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/experts.h"
#include "common/mem.h"

#define NONE UINT32_MAX

/* Above this a scale byte is corrupt: its weights would not be finite. */
#define SCALE_MAX 252

/* Slots form a list from the most to the least recently wanted. */
struct slot {
	uint32_t key; /* MoE layer * experts + number, or NONE */
	uint32_t newer, older;
};

struct k3_experts {
	struct k3_st *st;
	const struct k3_cfg *cfg;
	const struct k3_plan *plan;
	uint8_t *mem;
	struct slot *slot;
	uint32_t *where; /* [key]: its slot, or NONE */
	uint32_t newest, oldest;
	uint64_t part[K3_NPART + 1]; /* offsets in a slot; the end */
	unsigned layer;
	const uint32_t *list;
	size_t n, next;
	struct k3_experts_stats stats;
};

static uint64_t
nkeys(const struct k3_cfg *cfg)
{
	return (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->experts;
}

struct k3_experts *
k3_experts_open(struct k3_st *st, const struct k3_plan *plan,
    struct k3_err *err)
{
	struct k3_experts *ex = calloc(1, sizeof(*ex));
	uint64_t keys = nkeys(plan->cfg);

	if (ex == NULL)
		goto nomem;
	ex->st = st;
	ex->cfg = plan->cfg;
	ex->plan = plan;
	for (unsigned p = 0; p < K3_NPART; p++) {
		struct k3_shape shape;

		k3_part_shape(ex->cfg, (enum k3_part)p, &shape);
		ex->part[p + 1] = ex->part[p] + k3_shape_count(&shape);
	}
	ex->slot = calloc(plan->slots + 1, sizeof(*ex->slot));
	ex->where = malloc((keys + 1) * sizeof(*ex->where));
	if (ex->slot == NULL || ex->where == NULL)
		goto nomem;
	memset(ex->where, 0xff, (keys + 1) * sizeof(*ex->where));
	for (uint32_t i = 0; i < plan->slots; i++) {
		ex->slot[i].key = NONE;
		ex->slot[i].newer = i == 0 ? NONE : i - 1;
		ex->slot[i].older = i + 1 == plan->slots ? NONE : i + 1;
	}
	ex->oldest = (uint32_t)plan->slots - 1;
	ex->mem = k3_mem_alloc(plan->slots * plan->slot_bytes, "cache", err);
	if (ex->mem != NULL)
		return ex;
	k3_experts_close(ex);
	return NULL;
nomem:
	k3_experts_close(ex);
	k3_fail(err, EX_OSERR, "cannot allocate 'cache': out of memory");
	return NULL;
}

void
k3_experts_close(struct k3_experts *ex)
{
	if (ex == NULL)
		return;
	if (ex->mem != NULL)
		k3_mem_free(ex->mem, ex->plan->slots * ex->plan->slot_bytes);
	free(ex->slot);
	free(ex->where);
	free(ex);
}

int
k3_experts_want(struct k3_experts *ex, unsigned layer, const uint32_t *list,
    size_t n, struct k3_err *err)
{
	if (ex->plan->slots == 0)
		return k3_fail(err, EX_SOFTWARE, "no slot for experts");
	ex->layer = layer;
	ex->list = list;
	ex->n = n;
	ex->next = 0;
	return 0;
}

/* Take a slot out of the list and put it in front. */
static void
touch(struct k3_experts *ex, uint32_t i)
{
	struct slot *s = &ex->slot[i];

	if (ex->newest == i)
		return;
	ex->slot[s->newer].older = s->older;
	if (s->older != NONE)
		ex->slot[s->older].newer = s->newer;
	else
		ex->oldest = s->newer;
	s->newer = NONE;
	s->older = ex->newest;
	ex->slot[ex->newest].newer = i;
	ex->newest = i;
}

/* Bytes that are looked at together, so that a compiler makes vectors. */
#define LANES 16

static uint8_t
largest(const uint8_t *p, uint64_t len)
{
	uint8_t most[LANES] = { 0 }, top = 0;

	for (; len >= LANES; len -= LANES, p += LANES)
		for (size_t k = 0; k < LANES; k++)
			most[k] = p[k] > most[k] ? p[k] : most[k];
	for (size_t k = 0; k < len; k++)
		top = p[k] > top ? p[k] : top;
	for (size_t k = 0; k < LANES; k++)
		top = most[k] > top ? most[k] : top;
	return top;
}

static int
check_scales(const struct k3_experts *ex, unsigned e, enum k3_part part,
    const uint8_t *p, struct k3_err *err)
{
	uint64_t len = ex->part[part + 1] - ex->part[part];
	char name[K3_NAME_MAX];
	uint8_t top = largest(p, len);

	if (top <= SCALE_MAX)
		return 0;
	k3_part_name(ex->layer, e, part, name);
	return k3_fail(err, EX_DATAERR,
	    "'%s' tensor %s: scale byte %u is "
	    "above %d",
	    k3_st_path(ex->st, k3_st_part(ex->st, ex->layer, e, part).file),
	    name, top, SCALE_MAX);
}

/* Read expert 'e' into a slot: parts that adjoin in the file go together. */
static int
load(struct k3_experts *ex, unsigned e, uint8_t *dst, struct k3_err *err)
{
	char name[K3_NAME_MAX];
	unsigned p = 0;

	while (p < K3_NPART) {
		struct k3_loc loc =
		    k3_st_part(ex->st, ex->layer, e, (enum k3_part)p);
		uint64_t len = loc.len;
		unsigned q = p + 1;

		for (; q < K3_NPART; q++) {
			struct k3_loc then =
			    k3_st_part(ex->st, ex->layer, e, (enum k3_part)q);

			if (then.file != loc.file || then.off != loc.off + len)
				break;
			len += then.len;
		}
		k3_part_name(ex->layer, e, (enum k3_part)p, name);
		if (k3_st_read(ex->st, loc.file, loc.off, dst + ex->part[p],
			len, name, err) != 0)
			return -1;
		ex->stats.bytes += len;
		p = q;
	}
	for (p = K3_P_W1_SCALE; p < K3_NPART; p += 2)
		if (check_scales(ex, e, (enum k3_part)p, dst + ex->part[p],
			err) != 0)
			return -1;
	return 0;
}

/* The slot of a wanted expert, read into it if need be; NONE on failure. */
static uint32_t
fetch(struct k3_experts *ex, unsigned e, struct k3_err *err)
{
	uint32_t key = (ex->layer - ex->cfg->ndense) * ex->cfg->experts + e;
	uint32_t i = ex->where[key];
	double start;

	ex->stats.demands++;
	if (i != NONE) {
		ex->stats.hits++;
		touch(ex, i);
		return i;
	}
	ex->stats.misses++;
	i = ex->oldest;
	if (ex->slot[i].key != NONE) {
		ex->stats.evictions++;
		ex->where[ex->slot[i].key] = NONE;
	}
	ex->slot[i].key = NONE;
	start = k3_clock();
	if (load(ex, e, ex->mem + i * ex->plan->slot_bytes, err) != 0)
		return NONE;
	ex->stats.wait += k3_clock() - start;
	ex->slot[i].key = key;
	ex->where[key] = i;
	touch(ex, i);
	return i;
}

static struct k3_mx
matrix(const struct k3_experts *ex, const uint8_t *base, enum k3_part part)
{
	struct k3_shape shape;
	struct k3_mx mx;

	k3_part_shape(ex->cfg, part, &shape);
	mx.w = base + ex->part[part];
	mx.scale = base + ex->part[part + 1];
	mx.rows = shape.dim[0];
	mx.n = shape.dim[1] * 2;
	return mx;
}

int
k3_experts_next(struct k3_experts *ex, struct k3_expert *expert,
    struct k3_err *err)
{
	const uint8_t *base;
	uint32_t i;

	if (ex->next == ex->n)
		return 0;
	assert(ex->next == 0 || ex->list[ex->next] > ex->list[ex->next - 1]);
	expert->number = ex->list[ex->next++];
	i = fetch(ex, expert->number, err);
	if (i == NONE)
		return -1;
	base = ex->mem + i * ex->plan->slot_bytes;
	expert->w1 = matrix(ex, base, K3_P_W1);
	expert->w2 = matrix(ex, base, K3_P_W2);
	expert->w3 = matrix(ex, base, K3_P_W3);
	return 1;
}

const struct k3_experts_stats *
k3_experts_stats(const struct k3_experts *ex)
{
	return &ex->stats;
}
