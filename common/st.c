/*
 * st.c - a checkpoint's safetensors files: where each tensor stands
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"
#include "common/stimpl.h"

int
k3_st_slots(struct k3_st *st)
{
	const struct k3_cfg *cfg = st->cfg;
	size_t nmoe = cfg->nlayer - cfg->ndense;
	size_t dense = (size_t)(cfg->nlayer + 1) * K3_NTENSOR;
	struct k3_shape shape;

	/* calloc: pages of a config with absurd sizes are not touched. */
	st->dense = calloc(dense, sizeof(*st->dense));
	st->dtype = calloc(dense, sizeof(*st->dtype));
	st->part =
	    calloc(nmoe * cfg->experts * K3_NPART + 1, sizeof(*st->part));
	if (st->dense == NULL || st->dtype == NULL || st->part == NULL)
		return -1;
	st->need = nmoe * cfg->experts * K3_NPART;
	for (unsigned layer = 0; layer <= cfg->nlayer; layer++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			st->need += k3_tensor_shape(cfg, layer,
			    (enum k3_tensor)t, &shape);
	return 0;
}

void
k3_st_close(struct k3_st *st)
{
	if (st == NULL)
		return;
	for (unsigned i = 0; st->file != NULL && i < st->list.n; i++) {
		if (st->file[i].fd >= 0)
			close(st->file[i].fd);
		free(st->file[i].path);
	}
	free(st->file);
	free(st->dense);
	free(st->dtype);
	free(st->part);
	k3_stlist_fini(&st->list);
	free(st);
}

static struct k3_loc
locate(uint64_t slot, enum k3_dtype dtype, const struct k3_shape *shape)
{
	struct k3_loc loc;

	loc.off = slot >> 16;
	loc.len = k3_shape_count(shape) * k3_dtype_size(dtype);
	loc.file = (uint16_t)((slot & 0xffff) - 1);
	loc.dtype = (uint8_t)dtype;
	return loc;
}

struct k3_loc
k3_st_tensor(const struct k3_st *st, unsigned layer, enum k3_tensor t)
{
	size_t i = (size_t)layer * K3_NTENSOR + t;
	struct k3_shape shape;
	bool has;

	assert(layer <= st->cfg->nlayer);
	has = k3_tensor_shape(st->cfg, layer, t, &shape);
	assert(has);
	(void)has;
	return locate(st->dense[i], (enum k3_dtype)st->dtype[i], &shape);
}

struct k3_loc
k3_st_part(const struct k3_st *st, unsigned layer, unsigned expert,
    enum k3_part part)
{
	const struct k3_cfg *cfg = st->cfg;
	struct k3_shape shape;

	assert(layer >= cfg->ndense && layer < cfg->nlayer &&
	       expert < cfg->experts);
	k3_part_shape(cfg, part, &shape);
	return locate(st->part[((size_t)(layer - cfg->ndense) * cfg->experts +
				   expert) *
				   K3_NPART +
			       part],
	    K3_U8, &shape);
}

void
k3_st_dtypes(const struct k3_st *st, unsigned layer, uint8_t dtype[K3_NTENSOR])
{
	assert(layer <= st->cfg->nlayer);
	memcpy(dtype, st->dtype + (size_t)layer * K3_NTENSOR, K3_NTENSOR);
}

unsigned
k3_st_nfile(const struct k3_st *st)
{
	return st->list.n;
}

const char *
k3_st_path(const struct k3_st *st, unsigned file)
{
	assert(file < st->list.n);
	return st->file[file].path;
}

uint64_t
k3_st_size(const struct k3_st *st, unsigned file)
{
	assert(file < st->list.n);
	return st->file[file].size;
}

uint64_t
k3_st_bytes(const struct k3_st *st)
{
	return st->bytes;
}

uint64_t
k3_st_count(const struct k3_st *st)
{
	return st->count;
}

uint64_t
k3_st_needed(const struct k3_st *st)
{
	return st->need;
}

uint64_t
k3_st_found(const struct k3_st *st)
{
	return st->found;
}

#define PATH_UNIT 512

size_t
k3_st_memory(const struct k3_st *st)
{
	const struct k3_cfg *cfg = st->cfg;
	size_t dense = (size_t)(cfg->nlayer + 1) * K3_NTENSOR;
	size_t bytes = sizeof(*st);

	bytes += dense * (sizeof(*st->dense) + sizeof(*st->dtype));
	bytes += (size_t)(cfg->nlayer - cfg->ndense) * cfg->experts * K3_NPART *
		 sizeof(*st->part);
	bytes += st->list.cap * sizeof(*st->list.name) +
		 st->list.nslot * sizeof(*st->list.slot);
	/* Rounded up, so that plans do not depend on where a model is. */
	for (unsigned i = 0; i < st->list.n; i++)
		bytes += sizeof(*st->file) + strlen(st->list.name[i]) + 1 +
			 (strlen(st->file[i].path) / PATH_UNIT + 1) * PATH_UNIT;
	return bytes;
}

bool
k3_st_presumed(const struct k3_st *st)
{
	return st->presumed;
}

static int
refuse(const struct k3_st *st, unsigned file, struct k3_err *err)
{
	return k3_fail(err, EX_NOINPUT,
	    "cannot read '%s': the file is presumed, and not there",
	    st->file[file].path);
}

int
k3_st_reopen(const struct k3_st_file *file, struct k3_err *err)
{
	struct stat sb;
	uint64_t size;
	int fd = k3_regular_open(file->path, &size, err);

	if (fd < 0)
		return -1;
	if (fstat(fd, &sb) != 0 || size != file->size ||
	    sb.st_dev != file->dev || sb.st_ino != file->ino) {
		close(fd);
		return k3_fail(err, EX_IOERR,
		    "cannot read '%s': another file stands in its place",
		    file->path);
	}
	return fd;
}

int
k3_st_read(struct k3_st *st, unsigned file, uint64_t off, void *buf,
    uint64_t len, const char *what, struct k3_err *err)
{
	const struct k3_st_file *f = &st->file[file];
	int64_t got;
	int fd, status = 0;

	assert(file < st->list.n);
	if (st->presumed)
		return refuse(st, file, err);
	if (off > f->size || len > f->size - off)
		return k3_fail(err, EX_DATAERR,
		    "'%s' offset %" PRIu64 ": %s, %" PRIu64
		    " bytes, is outside of the file's %" PRIu64,
		    f->path, off, what, len, f->size);
	fd = f->fd >= 0 ? f->fd : k3_st_reopen(f, err);
	if (fd < 0)
		return -1;
	got = k3_regular_read(fd, buf, len, off);
	if (got < 0)
		status = k3_fail_errno(err, EX_IOERR,
		    "cannot read '%s' offset %" PRIu64 " (%s)", f->path, off,
		    what);
	else if ((uint64_t)got < len)
		status = k3_fail(err, EX_IOERR,
		    "cannot read '%s' offset %" PRIu64 " (%s): %" PRId64
		    " of %" PRIu64 " bytes, the file got shorter",
		    f->path, off, what, got, len);
	if (fd != f->fd)
		close(fd);
	return status;
}

int
k3_st_fd(const struct k3_st *st, unsigned file, struct k3_err *err)
{
	assert(file < st->list.n);
	if (st->presumed)
		return refuse(st, file, err);
	return k3_st_reopen(&st->file[file], err);
}
