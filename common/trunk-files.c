/*
 * trunk-files.c - where the trunk's matrices stand: in the shards, or packed
 */
#include <stdlib.h>

#include "common/trunkimpl.h"

/* One layer's file, which must store what the shards store. */
static int
open_layer(struct k3_trunk *trunk, const char *dir, unsigned i,
    const uint8_t print[K3_DIGEST128], struct k3_err *err)
{
	uint8_t packed[K3_NTENSOR], dtype[K3_NTENSOR];
	uint64_t off[K3_NTENSOR];
	const struct k3_cfg *cfg = trunk->cfg;
	struct k3_layer *l;

	l = trunk->packed[i] = k3_pack_open(dir, cfg, i, print, packed, err);
	if (l == NULL)
		return -1;
	k3_st_dtypes(trunk->shards->st, i, dtype);
	if (l->len != k3_layout(cfg, i, dtype, off))
		return k3_fail(err, EX_DATAERR,
		    "'%s' layer %u: stores other dtypes than the model",
		    l->path, i);
	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (off[t] != UINT64_MAX && packed[t] != dtype[t])
			return k3_fail(err, EX_DATAERR,
			    "'%s' layer %u: stores other dtypes than the model",
			    l->path, i);
	trunk->file[i] = k3_io_file(trunk->shards->io, l->path, l->fd, err);
	return trunk->file[i] == NULL ? -1 : 0;
}

int
k3_trunk_open_files(struct k3_trunk *trunk, const char *packed,
    struct k3_err *err)
{
	uint8_t print[K3_DIGEST128];
	unsigned n = trunk->cfg->nlayer;

	trunk->packed = calloc(n, sizeof(*trunk->packed));
	trunk->file = calloc(n, sizeof(*trunk->file));
	if (trunk->packed == NULL || trunk->file == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': out of memory");
	if (k3_fingerprint(trunk->cfg, trunk->shards->st, print, err) != 0)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (open_layer(trunk, packed, i, print, err) != 0)
			return -1;
	return 0;
}

void
k3_trunk_close_files(struct k3_trunk *trunk)
{
	for (unsigned i = 0; trunk->packed != NULL && i < trunk->cfg->nlayer;
	     i++)
		k3_layer_close(trunk->packed[i]);
	free(trunk->packed);
	free(trunk->file);
}

/* lm_head is not packed. */
static bool
is_packed(const struct k3_trunk *trunk, const struct k3_trunk_piece *p)
{
	return trunk->packed != NULL && p->layer < trunk->cfg->nlayer;
}

int
k3_trunk_locate(struct k3_trunk *trunk, struct k3_trunk_piece *p,
    struct k3_err *err)
{
	struct k3_loc loc =
	    k3_st_tensor(trunk->shards->st, p->layer, (enum k3_tensor)p->t);
	struct k3_shape shape;
	uint64_t row;

	k3_tensor_shape(trunk->cfg, p->layer, (enum k3_tensor)p->t, &shape);
	row = loc.len / shape.dim[0];
	p->read.len = p->rows * row;
	p->read.what = p->name;
	if (is_packed(trunk, p)) {
		const struct k3_layer *l = trunk->packed[p->layer];
		const struct k3_layer_tensor *lt = k3_layer_find(l, p->name);

		if (lt == NULL || lt->len != p->read.len)
			return k3_fail(err, EX_DATAERR,
			    "'%s' layer %u: has no such tensor %s", l->path,
			    p->layer, p->name);
		p->read.file = trunk->file[p->layer];
		p->read.off = l->off + lt->off;
		return 0;
	}
	p->read.off = loc.off + p->row * row;
	p->read.file = k3_shards_file(trunk->shards, loc.file, err);
	return p->read.file == NULL ? -1 : 0;
}

/* Is all of its tensor in it?  Of lm_head it may be some rows. */
static bool
is_whole(const struct k3_trunk *trunk, const struct k3_trunk_piece *p)
{
	return p->read.len ==
	       k3_st_tensor(trunk->shards->st, p->layer, (enum k3_tensor)p->t)
		   .len;
}

/* Against the digests of the shards; what is in pieces is known by its last. */
static int
check_shards(const struct k3_trunk *trunk, struct k3_trunk_piece *p,
    struct k3_err *err)
{
	struct k3_sidecar *digests = trunk->shards->digests;
	const struct k3_st *st = trunk->shards->st;
	enum k3_tensor t = (enum k3_tensor)p->t;

	p->checked = digests == NULL || is_whole(trunk, p);
	if (digests == NULL)
		return 0;
	if (p->checked)
		return k3_sidecar_check_tensor(digests, st, p->layer, t,
		    p->read.dst, err);
	return k3_sidecar_check_piece(digests, st, p->layer, t,
	    p->read.off - k3_st_tensor(st, p->layer, t).off, p->read.dst,
	    p->read.len, err);
}

static int
check(const struct k3_trunk *trunk, struct k3_trunk_piece *p,
    struct k3_err *err)
{
	const struct k3_layer *l;
	int status;

	if (is_packed(trunk, p)) {
		l = trunk->packed[p->layer];
		status = k3_layer_check_tensor(l, k3_layer_find(l, p->name),
		    p->read.dst, err);
		p->checked = true;
	} else {
		status = check_shards(trunk, p, err);
	}
	p->checked = p->checked && status == 0;
	return status;
}

/* Pieces that are checked together, at most. */
#define TOGETHER 32

struct come {
	const struct k3_trunk *trunk;
	struct k3_trunk_piece *piece[TOGETHER];
};

/* Of what is wrong nothing is known then: it is said in its turn. */
static void
check_come(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct come *come = arg;
	struct k3_err ignored;

	(void)thread;
	for (; begin < end; begin++)
		check(come->trunk, come->piece[begin], &ignored);
}

int
k3_trunk_check(const struct k3_trunk *trunk, struct k3_trunk_piece *p,
    struct k3_err *err)
{
	const struct k3_trunk_piece *end = trunk->piece + trunk->npiece;
	struct come come = { .trunk = trunk };
	size_t n = 0;

	if (!is_whole(trunk, p))
		return check(trunk, p, err);
	for (struct k3_trunk_piece *q = p; q < end && q->coming && n < TOGETHER;
	     q++)
		if (!q->checked && is_whole(trunk, q) &&
		    k3_io_done(trunk->shards->io, &q->read))
			come.piece[n++] = q;
	k3_par_run(trunk->shards->par, n, 1, check_come, &come);
	return p->checked ? 0 : check(trunk, p, err);
}
