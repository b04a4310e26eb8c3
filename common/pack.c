/*
 * pack.c - the packed trunk: one layer file for each layer, one for the head
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/pack.h"
#include "common/regular.h"

/* Large enough that drives are not kept waiting between two reads. */
#define PIECE ((size_t)4 << 20)

void
k3_pack_name(const struct k3_cfg *cfg, unsigned layer, char name[K3_PACK_NAME])
{
	if (layer == cfg->nlayer)
		snprintf(name, K3_PACK_NAME, "head.k3l");
	else
		snprintf(name, K3_PACK_NAME, "%03u.k3l", layer);
}

static void
fill(const struct k3_cfg *cfg, unsigned layer, const uint8_t dtype[K3_NTENSOR],
    struct k3_layer *l, struct k3_layer_tensor tensor[K3_NTENSOR])
{
	char name[K3_NAME_MAX];
	struct k3_shape shape;

	l->kind = layer == cfg->nlayer ? K3_LAYER_HEAD : K3_LAYER_TRUNK;
	l->layer = layer;
	l->block_rows = 0;
	l->ntensor = 0;
	l->tensor = tensor;
	memset(tensor, 0, sizeof(*tensor) * K3_NTENSOR);
	for (unsigned i = 0; i < K3_NTENSOR; i++) {
		struct k3_layer_tensor *t = &tensor[l->ntensor];

		if (!k3_tensor_shape(cfg, layer, (enum k3_tensor)i, &shape))
			continue;
		l->ntensor++;
		k3_tensor_name(layer, (enum k3_tensor)i, name);
		memcpy(t->name, name, strnlen(name, K3_LAYER_NAME - 1));
		t->dtype = (enum k3_dtype)dtype[i];
		t->ndim = shape.ndim;
		for (unsigned d = 0; d < shape.ndim; d++)
			t->dim[d] = shape.dim[d];
	}
}

void
k3_pack_table(const struct k3_cfg *cfg, const struct k3_st *st, unsigned layer,
    const uint8_t fingerprint[K3_DIGEST128], struct k3_layer *l,
    struct k3_layer_tensor tensor[K3_NTENSOR])
{
	uint8_t dtype[K3_NTENSOR] = { 0 };
	struct k3_err err;
	bool fits;

	k3_st_dtypes(st, layer, dtype);
	memset(l, 0, sizeof(*l));
	memcpy(l->fingerprint, fingerprint, K3_DIGEST128);
	fill(cfg, layer, dtype, l, tensor);
	/* The shapes are those of a valid configuration. */
	fits = k3_layer_arrange(l, &err) == 0;
	assert(fits);
}

static int
check_tensors(const struct k3_layer *l, const struct k3_cfg *cfg,
    unsigned layer, uint8_t dtype[K3_NTENSOR], struct k3_err *err)
{
	struct k3_layer_tensor want[K3_NTENSOR];
	struct k3_layer model;
	struct k3_shape shape;
	uint32_t n = 0;

	memset(dtype, 0, K3_NTENSOR);
	fill(cfg, layer, dtype, &model, want);
	if (l->ntensor != model.ntensor || l->block_rows != 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu32 " tensors, but the layer has %" PRIu32,
		    l->path, l->ntensor, model.ntensor);
	for (unsigned i = 0; i < K3_NTENSOR; i++) {
		const struct k3_layer_tensor *t = &l->tensor[n];

		if (!k3_tensor_shape(cfg, layer, (enum k3_tensor)i, &shape))
			continue;
		if (strcmp(t->name, want[n].name) != 0 ||
		    t->ndim != want[n].ndim ||
		    memcmp(t->dim, want[n].dim, sizeof(t->dim)) != 0 ||
		    (t->dtype != K3_F32 && t->dtype != K3_BF16))
			return k3_fail(err, EX_DATAERR,
			    "'%s' tensor %s: not %s of the model", l->path,
			    t->name, want[n].name);
		dtype[i] = (uint8_t)t->dtype;
		n++;
	}
	return 0;
}

static int
check(const struct k3_layer *l, const struct k3_cfg *cfg, unsigned layer,
    const uint8_t fingerprint[K3_DIGEST128], uint8_t dtype[K3_NTENSOR],
    struct k3_err *err)
{
	enum k3_layer_kind kind =
	    layer == cfg->nlayer ? K3_LAYER_HEAD : K3_LAYER_TRUNK;
	char got[K3_HEX128], want[K3_HEX128];

	if (memcmp(l->fingerprint, fingerprint, K3_DIGEST128) != 0) {
		k3_digest_hex(l->fingerprint, got);
		k3_digest_hex(fingerprint, want);
		return k3_fail(err, EX_DATAERR,
		    "'%s': of another model (fingerprint %s, not %s)", l->path,
		    got, want);
	}
	if (l->kind != kind || l->layer != layer)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %s %" PRIu32 ", not %s %u", l->path,
		    k3_layer_kind_name(l->kind), l->layer,
		    k3_layer_kind_name(kind), layer);
	return check_tensors(l, cfg, layer, dtype, err);
}

static char *
path_of(const char *dir, const struct k3_cfg *cfg, unsigned layer,
    struct k3_err *err)
{
	char name[K3_PACK_NAME], *path;

	if (k3_regular_folder(dir, err) != 0)
		return NULL;
	k3_pack_name(cfg, layer, name);
	if (asprintf(&path, "%s/%s", dir, name) != -1)
		return path;
	k3_fail(err, EX_OSERR, "cannot allocate a path");
	return NULL;
}

struct k3_layer *
k3_pack_open(const char *dir, const struct k3_cfg *cfg, unsigned layer,
    const uint8_t fingerprint[K3_DIGEST128], uint8_t dtype[K3_NTENSOR],
    struct k3_err *err)
{
	char *path = path_of(dir, cfg, layer, err);
	struct k3_layer *l = path != NULL ? k3_layer_open(path, err) : NULL;

	free(path);
	if (l == NULL || check(l, cfg, layer, fingerprint, dtype, err) == 0)
		return l;
	k3_layer_close(l);
	return NULL;
}

enum k3_pack_state
k3_pack_look(const char *dir, const struct k3_cfg *cfg, unsigned layer,
    const uint8_t fingerprint[K3_DIGEST128], struct k3_layer **l,
    struct k3_err *err)
{
	char *path = path_of(dir, cfg, layer, err);
	uint8_t dtype[K3_NTENSOR];
	struct k3_layer *file;
	bool foreign;

	*l = NULL;
	if (path == NULL)
		return K3_PACK_FAILED;
	if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
		free(path);
		return K3_PACK_MISSING;
	}
	file = k3_layer_open(path, err);
	free(path);
	if (file == NULL)
		return err->code == EX_DATAERR ? K3_PACK_DAMAGED
					       : K3_PACK_FAILED;
	if (check(file, cfg, layer, fingerprint, dtype, err) == 0) {
		*l = file;
		return K3_PACK_READY;
	}
	foreign = memcmp(file->fingerprint, fingerprint, K3_DIGEST128) != 0;
	k3_layer_close(file);
	return foreign ? K3_PACK_FOREIGN : K3_PACK_DAMAGED;
}

/* A job that copies: what stays the same from tensor to tensor. */
struct copy {
	struct k3_st *st;
	struct k3_layer_writer *w;
	uint8_t *buf; /* [PIECE] */
	k3_layer_moved_fn *moved;
	void *arg;
};

static int
copy_tensor(const struct copy *c, struct k3_loc loc, const char *name,
    struct k3_err *err)
{
	uint64_t off = 0;

	while (off < loc.len) {
		size_t n = loc.len - off < PIECE ? loc.len - off : PIECE;

		if (k3_st_read(c->st, loc.file, loc.off + off, c->buf, n, name,
			err) != 0 ||
		    k3_layer_put(c->w, c->buf, n, err) != 0)
			return -1;
		if (c->moved != NULL && !c->moved(c->arg, n))
			return k3_fail(err, EX_IOERR, "cannot go on: stopped");
		off += n;
	}
	return 0;
}

int
k3_pack_write(const struct k3_cfg *cfg, struct k3_st *st, unsigned layer,
    const uint8_t fingerprint[K3_DIGEST128], FILE *fp, const char *name,
    k3_layer_moved_fn *moved, void *arg, struct k3_err *err)
{
	struct k3_layer_tensor tensor[K3_NTENSOR];
	struct copy c = { .st = st, .moved = moved, .arg = arg };
	struct k3_layer l;
	struct k3_shape shape;
	uint32_t n = 0;
	int bad = -1;

	k3_pack_table(cfg, st, layer, fingerprint, &l, tensor);
	c.buf = malloc(PIECE);
	if (c.buf == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate %zu bytes",
		    PIECE);
	c.w = k3_layer_begin(&l, fp, name, err);
	if (c.w == NULL)
		goto out;
	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (k3_tensor_shape(cfg, layer, (enum k3_tensor)t, &shape) &&
		    copy_tensor(&c, k3_st_tensor(st, layer, (enum k3_tensor)t),
			tensor[n++].name, err) != 0)
			goto out;
	bad = k3_layer_end(c.w, err);
out:
	k3_layer_writer_close(c.w);
	free(c.buf);
	return bad;
}
