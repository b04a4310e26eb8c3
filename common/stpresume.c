/*
 * stpresume.c - where each tensor of a released checkpoint would stand
 *
 * For plans before a download.  The released files have no metadata and no
 * gaps: a header of compact JSON, padded with blanks to a multiple of 8, then
 * data.  Its length is counted here, so that K3's tensors are presumed exactly
 * where they are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stimpl.h"

/* A file in the making. */
struct file {
	unsigned number;
	uint64_t header; /* bytes of JSON */
	uint64_t end;    /* of data */
	uint64_t count;
};

/* A dense tensor, to be sorted by name. */
struct named {
	char name[K3_NAME_MAX];
	enum k3_tensor t;
};

static unsigned
digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

/* Add a tensor; its slot holds the offset in the data for now. */
static uint64_t
add(struct file *f, size_t name, const struct k3_shape *shape,
    enum k3_dtype dtype)
{
	static const char form[] =
	    "\"\":{\"dtype\":\"\",\"shape\":[],\"data_offsets\":[,]}";
	static const uint8_t dtype_name[K3_NDTYPE] = { 3, 4, 2, 3 };
	uint64_t slot = f->end << 16 | (f->number + 1);

	f->header += sizeof(form) - 1 + name + dtype_name[dtype];
	f->header += (f->count > 0) + shape->ndim - 1; /* commas */
	for (unsigned i = 0; i < shape->ndim; i++)
		f->header += digits(shape->dim[i]);
	f->header += digits(f->end);
	f->end += k3_shape_count(shape) * k3_dtype_size(dtype);
	f->header += digits(f->end);
	f->count++;
	return slot;
}

static int
compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* The dense tensors of one dtype, by name. */
static void
add_dense(struct k3_st *st, struct file *f, enum k3_dtype dtype)
{
	struct named list[K3_NTENSOR];
	struct k3_shape shape;
	size_t n = 0, at = (size_t)f->number * K3_NTENSOR;

	for (unsigned t = 0; t < K3_NTENSOR; t++) {
		list[n].t = (enum k3_tensor)t;
		if (k3_tensor_dtype(list[n].t) != dtype ||
		    !k3_tensor_shape(st->cfg, f->number, list[n].t, &shape))
			continue;
		k3_tensor_name(f->number, list[n].t, list[n].name);
		n++;
	}
	qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < n; i++) {
		enum k3_tensor t = list[i].t;

		k3_tensor_shape(st->cfg, f->number, t, &shape);
		st->dtype[at + t] = (uint8_t)dtype;
		st->dense[at + t] = add(f, strlen(list[i].name), &shape, dtype);
	}
}

/* The number below 'n' that comes after 'e' as text: 0, 1, 10, 100, 101. */
static uint64_t
after(uint64_t e, uint64_t n)
{
	if (e > 0 && e * 10 < n)
		return e * 10;
	while (e % 10 == 9 || e + 1 >= n) {
		e /= 10;
		if (e == 0)
			return n;
	}
	return e + 1;
}

static uint64_t *
parts(const struct k3_st *st, unsigned layer)
{
	return st->part +
	       (size_t)(layer - st->cfg->ndense) * st->cfg->experts * K3_NPART;
}

static void
add_experts(struct k3_st *st, struct file *f)
{
	const struct k3_cfg *cfg = st->cfg;
	uint64_t *slot = parts(st, f->number);
	struct k3_shape shape[K3_NPART];
	size_t name[K3_NPART];
	char buf[K3_NAME_MAX];

	for (unsigned p = 0; p < K3_NPART; p++) {
		name[p] = k3_part_name(f->number, 0, (enum k3_part)p, buf) - 1;
		k3_part_shape(cfg, (enum k3_part)p, &shape[p]);
	}
	for (uint64_t e = 0; e < cfg->experts; e = after(e, cfg->experts))
		for (unsigned p = 0; p < K3_NPART; p++)
			slot[e * K3_NPART + p] =
			    add(f, name[p] + digits(e), &shape[p], K3_U8);
}

/* Where data begins is known when the header is: move it there. */
static void
move(uint64_t *slot, size_t n, uint64_t by)
{
	for (size_t i = 0; i < n; i++)
		if (slot[i] != 0)
			slot[i] += by << 16;
}

static int
add_file(struct k3_st *st, unsigned number, struct k3_err *err)
{
	const struct k3_cfg *cfg = st->cfg;
	struct file f = { .number = number, .header = 2 };
	bool moe = number >= cfg->ndense && number < cfg->nlayer;
	struct k3_st_file *file = &st->file[number];
	char name[64];
	uint64_t data;

	add_dense(st, &f, K3_F32);
	add_dense(st, &f, K3_BF16);
	if (moe)
		add_experts(st, &f);
	data = 8 + (f.header + 7) / 8 * 8;
	if (f.end >= K3_ST_NOWHERE - data)
		return k3_fail(err, EX_DATAERR,
		    "cannot presume a file of %" PRIu64
		    " bytes: the most is %" PRIu64,
		    data + f.end, K3_ST_NOWHERE - 1);
	move(st->dense + (size_t)number * K3_NTENSOR, K3_NTENSOR, data);
	if (moe)
		move(parts(st, number), (size_t)cfg->experts * K3_NPART, data);
	snprintf(name, sizeof(name), "model-%05u-of-%06u.safetensors",
	    number + 1, cfg->nlayer + 1);
	if (k3_stlist_add(&st->list, name, strlen(name), err) < 0)
		return -1;
	if ((file->path = strdup(name)) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot list model files: out of memory");
	file->size = data + f.end;
	st->bytes += file->size;
	st->count += f.count;
	st->found += f.count;
	return 0;
}

/* All zero but for what says so. */
static struct k3_st *
make(const struct k3_cfg *cfg, struct k3_err *err)
{
	struct k3_st *st = calloc(1, sizeof(*st));

	if (st == NULL)
		goto nomem;
	st->cfg = cfg;
	st->presumed = true;
	st->file = calloc(cfg->nlayer + 1, sizeof(*st->file));
	if (st->file == NULL || k3_st_slots(st) != 0)
		goto nomem;
	for (unsigned i = 0; i <= cfg->nlayer; i++)
		st->file[i].fd = -1;
	return st;
nomem:
	k3_st_close(st);
	k3_fail(err, EX_OSERR, "cannot list tensors: out of memory");
	return NULL;
}

struct k3_st *
k3_st_presume(const struct k3_cfg *cfg, struct k3_err *err)
{
	uint64_t experts = (uint64_t)(cfg->nlayer - cfg->ndense) * cfg->experts;
	struct k3_st *st;

	if (experts > K3_ST_PRESUME) {
		k3_fail(err, EX_DATAERR,
		    "cannot presume a checkpoint of %" PRIu64
		    " routed experts: %" PRIu64 " at most",
		    experts, K3_ST_PRESUME);
		return NULL;
	}
	if ((st = make(cfg, err)) == NULL)
		return NULL;
	for (unsigned i = 0; i <= cfg->nlayer; i++)
		if (add_file(st, i, err) != 0) {
			k3_st_close(st);
			return NULL;
		}
	return st;
}
