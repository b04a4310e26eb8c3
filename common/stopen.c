/*
 * stopen.c - indexing a checkpoint
 *
 * The index, where there is one, says which files there are and which tensor
 * is in which; then each file's header fills the slots of its tensors; then it
 * is checked that none is empty.  Nothing but headers is read.
 */
#include <fcntl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"
#include "common/stcheck.h"
#include "common/sthead.h"
#include "common/stimpl.h"
#include "common/stindex.h"

/* Read at once.  It stays in a core's cache while it is scanned. */
#define BUFFER ((size_t)128 << 10)

static const char index_name[] = "model.safetensors.index.json";

/* A tensor that is needed: its slot, and what it must be. */
struct want {
	struct k3_named named;
	int kind; /* of k3_tensor_parse() */
	uint64_t *slot;
	uint8_t *dtype; /* NULL: U8 */
	struct k3_shape shape;
};

struct open {
	struct k3_st *st;
	struct k3_scan scan;
	struct k3_shape part[K3_NPART];
	bool indexed;
	bool hidden; /* files are missing or bad: nobody knows what they had */
	bool *unsorted; /* [list.n]: its tensors need a look for overlaps */
	const struct k3_st_watch *watch; /* NULL: what is wrong is the end */
	/* Of a file, tensors that are outside of it, and those that the index
	   has elsewhere: the first of each kind is told of. */
	uint64_t outside, elsewhere;
	struct k3_err *err;
};

/* Something is wrong, as op->err says: -1, or 0 to go on. */
static int
wrong(void *arg)
{
	struct open *op = arg;

	if (op->watch == NULL || op->err->code == EX_OSERR)
		return -1;
	op->watch->wrong(op->watch->arg, op->err);
	return 0;
}

/* Is the tensor 'name' needed? */
static bool
find(const struct open *op, const char *name, size_t len, struct want *want)
{
	struct k3_st *st = op->st;
	const struct k3_cfg *cfg = st->cfg;
	const struct k3_named *n = &want->named;
	unsigned layer;
	size_t i;

	want->kind = k3_tensor_parse(name, len, &want->named);
	if (want->kind == 2) {
		if (n->layer < cfg->ndense || n->layer >= cfg->nlayer ||
		    n->expert >= cfg->experts)
			return false;
		i = (size_t)(n->layer - cfg->ndense) * cfg->experts + n->expert;
		want->slot = &st->part[i * K3_NPART + n->part];
		want->dtype = NULL;
		want->shape = op->part[n->part];
		return true;
	}
	layer = n->t >= K3_NLAYER_TENSOR ? cfg->nlayer : n->layer;
	if (want->kind == 0 ||
	    (n->t < K3_NLAYER_TENSOR && n->layer >= cfg->nlayer) ||
	    !k3_tensor_shape(cfg, layer, n->t, &want->shape))
		return false;
	i = (size_t)layer * K3_NTENSOR + n->t;
	want->slot = &st->dense[i];
	want->dtype = &st->dtype[i];
	return true;
}

/* The number of the file that an entry of the index names, or -1. */
static int
index_file(struct open *op, const struct k3_stindex *index)
{
	struct k3_err why;
	int file;

	if (index->file_len >= sizeof(index->file))
		return k3_scan_fail(&op->scan, "a long file name");
	file =
	    k3_stlist_add(&op->st->list, index->file, index->file_len, op->err);
	if (file >= 0 || op->err->code != EX_DATAERR)
		return file;
	why = *op->err;
	return k3_scan_fail(&op->scan, "%s", why.msg);
}

static int
read_index(struct open *op, const char *path, int fd, uint64_t size)
{
	struct k3_stindex index;
	struct want want;
	int got, file;

	if (k3_stindex_open(&index, &op->scan, path, fd, size) != 0)
		return -1;
	while ((got = k3_stindex_next(&index)) > 0) {
		if ((file = index_file(op, &index)) < 0) {
			if (wrong(op) != 0)
				return -1;
			continue;
		}
		if (index.len >= sizeof(index.name) ||
		    !find(op, index.name, index.len, &want))
			continue;
		if (*want.slot == 0) {
			*want.slot = K3_ST_NOWHERE << 16 | (unsigned)(file + 1);
			continue;
		}
		k3_scan_fail(&op->scan, "tensor '%s' is listed twice",
		    index.name);
		if (wrong(op) != 0)
			return -1;
	}
	return got;
}

/* The index can't be read: forget what it said so far. */
static void
forget_index(struct open *op)
{
	struct k3_st *st = op->st;
	const struct k3_cfg *cfg = st->cfg;
	size_t nmoe = cfg->nlayer - cfg->ndense;

	op->indexed = false;
	k3_stlist_fini(&st->list);
	memset(st->dense, 0,
	    (size_t)(cfg->nlayer + 1) * K3_NTENSOR * sizeof(*st->dense));
	memset(st->part, 0, nmoe * cfg->experts * K3_NPART * sizeof(*st->part));
}

/* Those that are there, as no index says which there should be. */
static int
list_folder(struct open *op, const char *dir)
{
	if (k3_stlist_folder(&op->st->list, dir, op->err) == 0)
		return 0;
	op->hidden = true;
	return op->st->list.n == 0 ? -1 : wrong(op);
}

/* Fill in st->list, and what the index says of each tensor. */
static int
list_files(struct open *op, const char *dir)
{
	char *path;
	uint64_t size;
	int fd, status;

	if (asprintf(&path, "%s/%s", dir, index_name) < 0)
		return k3_fail(op->err, EX_OSERR,
		    "cannot open '%s': out of memory", dir);
	fd = k3_regular_open(path, &size, op->err);
	if (fd >= 0) {
		op->indexed = true;
		status = read_index(op, path, fd, size);
		close(fd);
	} else {
		status = errno == ENOENT ? 0 : -1;
	}
	free(path);
	if (status != 0 && wrong(op) != 0)
		return -1;
	if (status != 0)
		forget_index(op);
	return op->indexed ? 0 : list_folder(op, dir);
}

/* Is the slot free for a tensor of 'file'? */
static int
check_slot(const struct open *op, unsigned file, const struct k3_stentry *entry,
    uint64_t slot)
{
	const struct k3_st *st = op->st;
	const char *path = st->file[file].path;
	unsigned other = (unsigned)(slot & 0xffff) - 1;

	if (slot == 0 && op->indexed)
		return k3_fail(op->err, EX_DATAERR,
		    "'%s' tensor '%s': the index does not list it", path,
		    entry->name);
	if (slot == 0 || slot >> 16 == K3_ST_TOLD ||
	    (slot >> 16 == K3_ST_NOWHERE && other == file))
		return 0;
	if (slot >> 16 == K3_ST_NOWHERE)
		return k3_fail(op->err, EX_DATAERR,
		    "'%s' tensor '%s': the index has it in '%s'", path,
		    entry->name, st->list.name[other]);
	if (other == file)
		return k3_fail(op->err, EX_DATAERR,
		    "'%s' tensor '%s': it is there twice", path, entry->name);
	return k3_fail(op->err, EX_DATAERR,
	    "'%s' tensor '%s': it is in '%s' too", path, entry->name,
	    st->list.name[other]);
}

/* That a needed tensor is wrong is said once; a good one stays. */
static int
refuse(struct open *op, unsigned file, uint64_t *slot)
{
	bool elsewhere =
	    *slot >> 16 == K3_ST_NOWHERE && (*slot & 0xffff) - 1 != file;

	if (*slot == 0 || *slot >> 16 == K3_ST_NOWHERE)
		*slot = K3_ST_TOLD << 16 | (file + 1);
	return elsewhere && op->elsewhere++ > 0 ? 0 : wrong(op);
}

/* One that ends behind the file's end. */
static int
outside(struct open *op, unsigned file, uint64_t data,
    const struct k3_stentry *entry, uint64_t *slot)
{
	const struct k3_st_file *f = &op->st->file[file];

	k3_fail(op->err, EX_DATAERR,
	    "'%s' tensor '%s': bytes %" PRIu64 " to %" PRIu64
	    " of the file's %" PRIu64 " of data",
	    f->path, entry->name, entry->begin, entry->end, f->size - data);
	if (slot != NULL && (*slot == 0 || *slot >> 16 == K3_ST_NOWHERE))
		*slot = K3_ST_TOLD << 16 | (file + 1);
	return op->outside++ == 0 ? wrong(op) : 0;
}

/* One tensor of 'file', whose data begins at 'data'. */
static int
take(struct open *op, unsigned file, uint64_t data,
    const struct k3_stentry *entry, uint64_t *last)
{
	struct k3_st *st = op->st;
	struct want want;
	enum k3_dtype dtype;
	bool needed = entry->len < sizeof(entry->name) &&
		      find(op, entry->name, entry->len, &want);

	st->count++;
	/* Even if nobody needs this one: the file has been cut short. */
	if (entry->end > st->file[file].size - data)
		return outside(op, file, data, entry,
		    needed ? want.slot : NULL);
	if (!needed) {
		if (op->watch != NULL)
			op->watch->unneeded(op->watch->arg, st->file[file].path,
			    entry->name);
		return 0;
	}
	if (check_slot(op, file, entry, *want.slot) != 0 ||
	    k3_stcheck_entry(entry, &want.shape, want.dtype == NULL,
		st->file[file].size - data, st->file[file].path, &dtype,
		op->err) != 0)
		return refuse(op, file, want.slot);
	if (entry->begin < *last)
		op->unsorted[file] = true;
	*last = entry->end;
	*want.slot = (data + entry->begin) << 16 | (file + 1);
	if (want.dtype != NULL)
		*want.dtype = (uint8_t)dtype;
	st->found++;
	return 0;
}

/* A file that was read to its end: 'room' bytes of data, used up to 'end'. */
static int
check_end(struct open *op, const struct k3_st_file *file, uint64_t room,
    uint64_t end)
{
	int status = 0;

	if (op->watch == NULL)
		return 0;
	if (end < room) {
		k3_fail(op->err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes behind its last tensor",
		    file->path, room - end);
		status = wrong(op);
	}
	if (op->outside > 1 && status == 0) {
		k3_fail(op->err, EX_DATAERR,
		    "'%s': %" PRIu64 " more of its tensors are outside of it",
		    file->path, op->outside - 1);
		status = wrong(op);
	}
	if (op->elsewhere > 1 && status == 0) {
		k3_fail(op->err, EX_DATAERR,
		    "'%s': %" PRIu64
		    " more of its tensors the index has elsewhere",
		    file->path, op->elsewhere - 1);
		status = wrong(op);
	}
	return status;
}

static int
read_header(struct open *op, unsigned i, int fd)
{
	const struct k3_st_file *file = &op->st->file[i];
	struct k3_sthead head;
	struct k3_stentry entry;
	uint64_t last = 0, end = 0;
	int got;

	/* Or else the kernel reads on, into weights that nobody asked for. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	if (k3_sthead_open(&head, &op->scan, file->path, fd, file->size) != 0)
		return -1;
	op->outside = op->elsewhere = 0;
	while ((got = k3_sthead_next(&head, &entry)) > 0) {
		if (take(op, i, head.data, &entry, &last) != 0)
			return -1;
		end = entry.end > end ? entry.end : end;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
	return got == 0 ? check_end(op, file, file->size - head.data, end) : -1;
}

static int
open_file(struct open *op, const char *dir, unsigned i)
{
	struct k3_st_file *file = &op->st->file[i];
	struct stat sb;

	if (asprintf(&file->path, "%s/%s", dir, op->st->list.name[i]) < 0) {
		file->path = NULL;
		return k3_fail(op->err, EX_OSERR,
		    "cannot open '%s': out of memory", dir);
	}
	file->fd = k3_regular_open(file->path, &file->size, op->err);
	if (file->fd < 0)
		return -1;
	if (fstat(file->fd, &sb) != 0)
		return k3_fail_errno(op->err, EX_IOERR, "cannot read '%s'",
		    file->path);
	/* Every byte must have an offset below. */
	if (file->size >= K3_ST_TOLD)
		return k3_fail(op->err, EX_DATAERR,
		    "'%s': a file of %" PRIu64 " bytes", file->path,
		    file->size);
	file->dev = sb.st_dev;
	file->ino = sb.st_ino;
	op->st->bytes += file->size;
	if (i >= K3_ST_KEEP) {
		close(file->fd);
		file->fd = -1;
	}
	return 0;
}

/* All are opened before one is read: what is missing is said first. */
static int
read_files(struct open *op, const char *dir)
{
	struct k3_st *st = op->st;
	int fd, status;

	st->file = calloc(st->list.n + 1, sizeof(*st->file));
	op->unsorted = calloc(st->list.n + 1, sizeof(*op->unsorted));
	for (unsigned i = 0; st->file != NULL && i < st->list.n; i++)
		st->file[i].fd = -1;
	if (st->file == NULL || op->unsorted == NULL)
		return k3_fail(op->err, EX_OSERR,
		    "cannot open '%s': out of memory", dir);
	for (unsigned i = 0; i < st->list.n; i++) {
		st->file[i].bad = open_file(op, dir, i) != 0;
		op->hidden |= st->file[i].bad;
		if (st->file[i].bad && wrong(op) != 0)
			return -1;
	}
	for (unsigned i = 0; i < st->list.n; i++) {
		if (st->file[i].bad)
			continue;
		fd = st->file[i].fd;
		status = -1;
		if (fd >= 0 || (fd = k3_st_reopen(&st->file[i], op->err)) >= 0)
			status = read_header(op, i, fd);
		if (fd >= 0 && fd != st->file[i].fd)
			close(fd);
		st->file[i].bad = status != 0;
		op->hidden |= st->file[i].bad;
		if (status != 0 && wrong(op) != 0)
			return -1;
	}
	return 0;
}

/* Is all there?  Without an index, what is in bad files is one fault. */
static int
check_complete(struct open *op, const char *dir)
{
	if (op->watch != NULL && (op->indexed || !op->hidden))
		return k3_stcheck_missing(op->st, dir, wrong, op, op->err);
	if (k3_stcheck_complete(op->st, dir, op->err) == 0)
		return 0;
	return wrong(op);
}

static struct k3_st *
open_st(const char *dir, const struct k3_cfg *cfg,
    const struct k3_st_watch *watch, struct k3_err *err)
{
	struct open op = { .watch = watch, .err = err };
	struct k3_st *st = calloc(1, sizeof(*st));
	bool good = false;

	if (st == NULL || k3_scan_init(&op.scan, BUFFER, err) != 0) {
		free(st);
		k3_fail(err, EX_OSERR, "cannot open '%s': out of memory", dir);
		return NULL;
	}
	op.st = st;
	st->cfg = cfg;
	for (unsigned p = 0; p < K3_NPART; p++)
		k3_part_shape(cfg, (enum k3_part)p, &op.part[p]);
	if (k3_st_slots(st) != 0)
		k3_fail(err, EX_OSERR, "cannot open '%s': out of memory", dir);
	else
		good =
		    list_files(&op, dir) == 0 && read_files(&op, dir) == 0 &&
		    check_complete(&op, dir) == 0 &&
		    k3_stcheck_overlap(st, op.unsorted, wrong, &op, err) == 0;
	free(op.unsorted);
	k3_scan_fini(&op.scan);
	if (!good) {
		k3_st_close(st);
		return NULL;
	}
	return st;
}

struct k3_st *
k3_st_open(const char *dir, const struct k3_cfg *cfg, struct k3_err *err)
{
	return open_st(dir, cfg, NULL, err);
}

struct k3_st *
k3_st_survey(const char *dir, const struct k3_cfg *cfg,
    const struct k3_st_watch *watch, struct k3_err *err)
{
	return open_st(dir, cfg, watch, err);
}
