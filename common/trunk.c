/*
 * trunk.c - the weights provider: the dense layers in order, and the head
 *
 * Reads are synchronous: a layer that is not pinned is read whole into the
 * one slot of the ring when compute gets to it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/mem.h"
#include "common/pack.h"
#include "common/regular.h"
#include "common/trunk.h"

struct k3_trunk {
	struct k3_st *st;
	const struct k3_plan *plan;
	const struct k3_cfg *cfg;
	struct k3_layer **file; /* [nlayer], or NULL: from the shards */
	uint8_t *ring;
	uint8_t *small;                /* the head's norms */
	uint64_t small_bytes;          /* of all of them */
	uint8_t **pin;                 /* [nlayer + 1], NULL where not pinned */
	bool *loaded;                  /* [nlayer + 1] */
	bool *checked;                 /* [nlayer]: its digests */
	unsigned layer;                /* in work */
	uint8_t *base;                 /* where it stands */
	uint64_t off[K3_NTENSOR];      /* of its tensors */
	uint8_t dtype[K3_NTENSOR];     /* and what they are */
	uint64_t head_off[K3_NTENSOR]; /* the same of the head's norms */
	uint8_t head_dtype[K3_NTENSOR];
	struct k3_trunk_stats stats;
};

/* Read from the shards: a tensor's bytes [from, from + len). */
static int
read_tensor(struct k3_trunk *trunk, unsigned layer, enum k3_tensor t,
    uint64_t from, uint64_t len, uint8_t *dst, struct k3_err *err)
{
	struct k3_loc loc = k3_st_tensor(trunk->st, layer, t);
	char name[K3_NAME_MAX];
	double start = k3_clock();
	int ret;

	k3_tensor_name(layer, t, name);
	ret = k3_st_read(trunk->st, loc.file, loc.off + from, dst, len, name,
	    err);
	trunk->stats.wait += k3_clock() - start;
	trunk->stats.bytes += len;
	return ret;
}

/*
 * A layer's payload stands as k3_layout() says: one read.  The digests are
 * looked at when a layer comes in for the first time.
 */
static int
load_packed(struct k3_trunk *trunk, unsigned layer, uint8_t *dst,
    struct k3_err *err)
{
	const struct k3_layer *l = trunk->file[layer];
	double start = k3_clock();
	int64_t got = k3_regular_read(l->fd, dst, l->len, l->off);

	trunk->stats.wait += k3_clock() - start;
	trunk->stats.bytes += l->len;
	if (got < 0)
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    l->path);
	if ((uint64_t)got < l->len)
		return k3_fail(err, EX_DATAERR,
		    "'%s' byte %" PRIu64 ": the file ends here", l->path,
		    l->off + (uint64_t)got);
	for (uint32_t i = 0; i < l->ntensor && !trunk->checked[layer]; i++)
		if (k3_layer_check_tensor(l, &l->tensor[i],
			dst + l->tensor[i].off, err) != 0)
			return -1;
	trunk->checked[layer] = true;
	return 0;
}

/* A whole layer into its place. */
static int
load_layer(struct k3_trunk *trunk, unsigned layer, uint8_t *dst,
    struct k3_err *err)
{
	struct k3_shape shape;

	if (trunk->file != NULL)
		return load_packed(trunk, layer, dst, err);
	for (unsigned t = 0; t < K3_NTENSOR; t++) {
		if (!k3_tensor_shape(trunk->cfg, layer, (enum k3_tensor)t,
			&shape))
			continue;
		if (read_tensor(trunk, layer, (enum k3_tensor)t, 0,
			k3_shape_count(&shape) * k3_dtype_size(trunk->dtype[t]),
			dst + trunk->off[t], err) != 0)
			return -1;
	}
	return 0;
}

/* The head's norms, at their offsets without the two large matrices. */
static int
load_small(struct k3_trunk *trunk, struct k3_err *err)
{
	unsigned head = trunk->cfg->nlayer;
	uint64_t end = 0;

	k3_st_dtypes(trunk->st, head, trunk->head_dtype);
	for (unsigned t = K3_T_EMBED + 1; t < K3_T_LM_HEAD; t++) {
		trunk->head_off[t] = end;
		end += (k3_st_tensor(trunk->st, head, (enum k3_tensor)t).len +
			   K3_ALIGN - 1) /
		       K3_ALIGN * K3_ALIGN;
	}
	trunk->small_bytes = end;
	trunk->small = k3_mem_alloc(end, "head", err);
	if (trunk->small == NULL)
		return -1;
	for (unsigned t = K3_T_EMBED + 1; t < K3_T_LM_HEAD; t++)
		if (read_tensor(trunk, head, (enum k3_tensor)t, 0,
			k3_st_tensor(trunk->st, head, (enum k3_tensor)t).len,
			trunk->small + trunk->head_off[t], err) != 0)
			return -1;
	return 0;
}

static int
allocate(struct k3_trunk *trunk, struct k3_err *err)
{
	unsigned n = trunk->cfg->nlayer + 1;

	trunk->pin = calloc(n, sizeof(*trunk->pin));
	trunk->loaded = calloc(n, sizeof(*trunk->loaded));
	trunk->checked = calloc(n, sizeof(*trunk->checked));
	if (trunk->pin == NULL || trunk->loaded == NULL ||
	    trunk->checked == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': "
		    "out of memory");
	for (unsigned i = 0; i < n; i++) {
		if (!trunk->plan->pinned[i])
			continue;
		trunk->pin[i] =
		    k3_mem_alloc(trunk->plan->layer_bytes[i], "pins", err);
		if (trunk->pin[i] == NULL)
			return -1;
	}
	if (trunk->plan->ring == 0)
		return 0;
	trunk->ring = k3_mem_alloc(trunk->plan->ring, "ring", err);
	return trunk->ring == NULL ? -1 : 0;
}

/*
 * All files of a packed trunk, checked to be of this model and to store what
 * the shards store, so that the plan's sizes hold for both.
 */
static int
open_packed(struct k3_trunk *trunk, const char *dir, struct k3_err *err)
{
	uint8_t print[K3_DIGEST128], packed[K3_NTENSOR], dtype[K3_NTENSOR];
	uint64_t off[K3_NTENSOR];
	const struct k3_cfg *cfg = trunk->cfg;

	trunk->file = calloc(cfg->nlayer, sizeof(*trunk->file));
	if (trunk->file == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': "
		    "out of memory");
	if (k3_fingerprint(cfg, trunk->st, print, err) != 0)
		return -1;
	for (unsigned i = 0; i < cfg->nlayer; i++) {
		bool same = true;

		trunk->file[i] = k3_pack_open(dir, cfg, i, print, packed, err);
		if (trunk->file[i] == NULL)
			return -1;
		k3_st_dtypes(trunk->st, i, dtype);
		k3_layout(cfg, i, dtype, off);
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (off[t] != UINT64_MAX && packed[t] != dtype[t])
				same = false;
		if (!same || trunk->file[i]->len != trunk->plan->layer_bytes[i])
			return k3_fail(err, EX_DATAERR,
			    "'%s' layer %u: stores other dtypes than the "
			    "model",
			    trunk->file[i]->path, i);
	}
	return 0;
}

struct k3_trunk *
k3_trunk_open(struct k3_st *st, const struct k3_plan *plan, const char *packed,
    struct k3_err *err)
{
	struct k3_trunk *trunk = calloc(1, sizeof(*trunk));

	if (trunk == NULL) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': "
		    "out of memory");
		return NULL;
	}
	trunk->st = st;
	trunk->plan = plan;
	trunk->cfg = plan->cfg;
	if (packed != NULL && open_packed(trunk, packed, err) != 0)
		goto fail;
	if (allocate(trunk, err) != 0 || load_small(trunk, err) != 0)
		goto fail;
	return trunk;
fail:
	k3_trunk_close(trunk);
	return NULL;
}

void
k3_trunk_close(struct k3_trunk *trunk)
{
	if (trunk == NULL)
		return;
	for (unsigned i = 0; trunk->pin != NULL && i <= trunk->cfg->nlayer; i++)
		k3_mem_free(trunk->pin[i], trunk->plan->layer_bytes[i]);
	k3_mem_free(trunk->ring, trunk->plan->ring);
	k3_mem_free(trunk->small, trunk->small_bytes);
	for (unsigned i = 0; trunk->file != NULL && i < trunk->cfg->nlayer; i++)
		k3_layer_close(trunk->file[i]);
	free(trunk->file);
	free(trunk->pin);
	free(trunk->loaded);
	free(trunk->checked);
	free(trunk);
}

int
k3_trunk_begin(struct k3_trunk *trunk, unsigned layer, struct k3_err *err)
{
	trunk->layer = layer;
	k3_st_dtypes(trunk->st, layer, trunk->dtype);
	k3_layout(trunk->cfg, layer, trunk->dtype, trunk->off);
	trunk->base =
	    trunk->pin[layer] != NULL ? trunk->pin[layer] : trunk->ring;
	if (trunk->loaded[layer])
		return 0;
	if (load_layer(trunk, layer, trunk->base, err) != 0)
		return -1;
	trunk->loaded[layer] = trunk->pin[layer] != NULL;
	return 0;
}

/* The first dimension is rows; a vector is one row. */
static struct k3_weight
weight(const struct k3_shape *shape, enum k3_dtype dtype, const uint8_t *p)
{
	struct k3_weight w = { p, dtype, 1, 0 };

	if (shape->ndim > 1)
		w.rows = shape->dim[0];
	w.n = k3_shape_count(shape) / w.rows;
	return w;
}

int
k3_trunk_need(struct k3_trunk *trunk, enum k3_tensor t, struct k3_weight *w,
    struct k3_err *err)
{
	struct k3_shape shape;

	if (!k3_tensor_shape(trunk->cfg, trunk->layer, t, &shape))
		return k3_fail(err, EX_SOFTWARE, "layer %u has no tensor %d",
		    trunk->layer, (int)t);
	*w = weight(&shape, trunk->dtype[t], trunk->base + trunk->off[t]);
	return 0;
}

int
k3_trunk_embed(struct k3_trunk *trunk, uint32_t id, float *y,
    struct k3_err *err)
{
	unsigned head = trunk->cfg->nlayer;
	struct k3_loc loc = k3_st_tensor(trunk->st, head, K3_T_EMBED);
	size_t n = trunk->cfg->hidden;
	uint64_t row = n * k3_dtype_size(loc.dtype);
	uint8_t *raw = (uint8_t *)(y + n) - row;

	/* The stored row goes to the end of y and is widened from the front. */
	if (read_tensor(trunk, head, K3_T_EMBED, id * row, row, raw, err) != 0)
		return -1;
	k3_widen(y, raw, loc.dtype, n);
	return 0;
}

struct k3_weight
k3_trunk_head(const struct k3_trunk *trunk, enum k3_tensor t)
{
	struct k3_shape shape = { 0 };

	k3_tensor_shape(trunk->cfg, trunk->cfg->nlayer, t, &shape);
	return weight(&shape, trunk->head_dtype[t],
	    trunk->small + trunk->head_off[t]);
}

int
k3_trunk_lm_head(struct k3_trunk *trunk, size_t row, struct k3_weight *w,
    struct k3_err *err)
{
	unsigned head = trunk->cfg->nlayer;
	struct k3_loc loc = k3_st_tensor(trunk->st, head, K3_T_LM_HEAD);
	size_t vocab = trunk->cfg->vocab, n = trunk->cfg->hidden;
	uint64_t bytes = n * k3_dtype_size(loc.dtype), rows = vocab - row;
	uint8_t *pin = trunk->pin[head];

	w->dtype = loc.dtype;
	w->n = n;
	if (pin != NULL) {
		if (!trunk->loaded[head] &&
		    read_tensor(trunk, head, K3_T_LM_HEAD, 0, loc.len, pin,
			err) != 0)
			return -1;
		trunk->loaded[head] = true;
		w->p = pin + row * bytes;
		w->rows = vocab - row;
		return 0;
	}
	rows =
	    rows < trunk->plan->ring / bytes ? rows : trunk->plan->ring / bytes;
	w->p = trunk->ring;
	w->rows = rows;
	return read_tensor(trunk, head, K3_T_LM_HEAD, row * bytes, rows * bytes,
	    trunk->ring, err);
}

const struct k3_trunk_stats *
k3_trunk_stats(const struct k3_trunk *trunk)
{
	return &trunk->stats;
}
