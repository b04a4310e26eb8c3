/*
 * trunk-small.c - the trunk's vectors, which are always in memory
 */
#include <stdlib.h>

#include "common/mem.h"
#include "common/trunkimpl.h"

/* Offsets of a layer's small tensors, from 'end' on; the new end. */
static uint64_t
place(struct k3_trunk *trunk, unsigned layer, uint64_t end)
{
	uint64_t *off = trunk->small_off + (size_t)layer * K3_NTENSOR;
	struct k3_shape shape;

	for (unsigned t = 0; t < K3_NTENSOR; t++) {
		if (!k3_tensor_small((enum k3_tensor)t) ||
		    !k3_tensor_shape(trunk->cfg, layer, (enum k3_tensor)t,
			&shape))
			continue;
		off[t] = end;
		end += k3_st_tensor(trunk->shards->st, layer, (enum k3_tensor)t)
			   .len;
		end = (end + K3_ALIGN - 1) / K3_ALIGN * K3_ALIGN;
	}
	return end;
}

/*
 * From the packed file, which has a digest of it, or from the shards, which may
 * have one beside them.
 */
static int
load(struct k3_trunk *trunk, unsigned layer, enum k3_tensor t,
    struct k3_err *err)
{
	struct k3_st *st = trunk->shards->st;
	struct k3_loc loc = k3_st_tensor(st, layer, t);
	uint8_t *dst =
	    trunk->small + trunk->small_off[(size_t)layer * K3_NTENSOR + t];
	char name[K3_NAME_MAX];

	k3_tensor_name(layer, t, name);
	trunk->stats.bytes += loc.len;
	if (trunk->packed != NULL && layer < trunk->cfg->nlayer) {
		const struct k3_layer *l = trunk->packed[layer];
		const struct k3_layer_tensor *lt = k3_layer_find(l, name);

		if (lt == NULL)
			return k3_fail(err, EX_DATAERR,
			    "'%s' layer %u: has no tensor %s", l->path, layer,
			    name);
		if (k3_layer_read(l, lt, 0, dst, loc.len, err) != 0)
			return -1;
		return k3_layer_check_tensor(l, lt, dst, err);
	}
	if (k3_st_read(st, loc.file, loc.off, dst, loc.len, name, err) != 0)
		return -1;
	if (trunk->shards->digests == NULL)
		return 0;
	return k3_sidecar_check_tensor(trunk->shards->digests, st, layer, t,
	    dst, err);
}

int
k3_trunk_load_small(struct k3_trunk *trunk, struct k3_err *err)
{
	unsigned nlayer = trunk->cfg->nlayer;
	struct k3_shape shape;
	uint64_t end = 0;

	trunk->small_off = calloc((size_t)(nlayer + 1) * K3_NTENSOR,
	    sizeof(*trunk->small_off));
	if (trunk->small_off == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': out of memory");
	for (unsigned i = 0; i <= nlayer; i++)
		end = place(trunk, i, end);
	trunk->small_bytes = end;
	trunk->small = k3_mem_alloc(end, "vectors", err);
	if (trunk->small == NULL)
		return -1;
	for (unsigned i = 0; i <= nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (k3_tensor_small((enum k3_tensor)t) &&
			    k3_tensor_shape(trunk->cfg, i, (enum k3_tensor)t,
				&shape) &&
			    load(trunk, i, (enum k3_tensor)t, err) != 0)
				return -1;
	return 0;
}

void
k3_trunk_free_small(struct k3_trunk *trunk)
{
	k3_mem_free(trunk->small, trunk->small_bytes);
	free(trunk->small_off);
}

const uint8_t *
k3_trunk_small(const struct k3_trunk *trunk, unsigned layer, enum k3_tensor t)
{
	return trunk->small + trunk->small_off[(size_t)layer * K3_NTENSOR + t];
}
