/*
 * stcheck.c - is a checkpoint what the config needs?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stcheck.h"

/* A dtype from a file, fit to be printed. */
static const char *
clean(const char *dtype, char buf[16])
{
	size_t i;

	for (i = 0; dtype[i] != '\0'; i++)
		buf[i] =
		    (char)(dtype[i] > ' ' && dtype[i] <= '~' ? dtype[i] : '?');
	buf[i] = '\0';
	return buf;
}

static void
show(unsigned ndim, const uint64_t *dim, char *buf, size_t size)
{
	unsigned n = ndim < K3_STHEAD_DIMS ? ndim : K3_STHEAD_DIMS;
	size_t len = (size_t)snprintf(buf, size, "[");

	for (unsigned i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%" PRIu64,
		    i == 0 ? "" : ", ", dim[i]);
	if (len < size)
		snprintf(buf + len, size - len, "%s]", ndim > n ? ", ..." : "");
}

static bool
same(const struct k3_stentry *entry, const struct k3_shape *shape)
{
	if (entry->ndim != shape->ndim)
		return false;
	for (unsigned i = 0; i < shape->ndim; i++)
		if (entry->dim[i] != shape->dim[i])
			return false;
	return true;
}

int
k3_stcheck_entry(const struct k3_stentry *entry, const struct k3_shape *shape,
    bool packed, uint64_t room, const char *path, enum k3_dtype *dtype,
    struct k3_err *err)
{
	char got[200], want[200];
	uint64_t bytes;

	if (packed && strcmp(entry->dtype, "U8") == 0)
		*dtype = K3_U8;
	else if (!packed && strcmp(entry->dtype, "BF16") == 0)
		*dtype = K3_BF16;
	else if (!packed && strcmp(entry->dtype, "F32") == 0)
		*dtype = K3_F32;
	else
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor '%s': dtype %s (want %s)", path, entry->name,
		    clean(entry->dtype, got), packed ? "U8" : "BF16 or F32");
	if (!same(entry, shape)) {
		show(entry->ndim, entry->dim, got, sizeof(got));
		show(shape->ndim, shape->dim, want, sizeof(want));
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor '%s': shape %s (want %s)", path, entry->name,
		    got, want);
	}
	if (entry->begin > entry->end || entry->end > room)
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor '%s': bytes %" PRIu64 " to %" PRIu64
		    " of the file's %" PRIu64 " of data",
		    path, entry->name, entry->begin, entry->end, room);
	/* The config's sizes cannot wrap. */
	bytes = k3_shape_count(shape) * k3_dtype_size(*dtype);
	if (entry->end - entry->begin != bytes)
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor '%s': %" PRIu64 " bytes (want %" PRIu64 ")",
		    path, entry->name, entry->end - entry->begin, bytes);
	return 0;
}

/*
 * Slots have one numbering for what follows: layer after layer, dense ones
 * first, then all experts' parts.
 */
static uint64_t
ndense(const struct k3_st *st)
{
	return (uint64_t)(st->cfg->nlayer + 1) * K3_NTENSOR;
}

static uint64_t
nslot(const struct k3_st *st)
{
	return ndense(st) + (uint64_t)(st->cfg->nlayer - st->cfg->ndense) *
				st->cfg->experts * K3_NPART;
}

static uint64_t
slot_at(const struct k3_st *st, uint64_t i)
{
	return i < ndense(st) ? st->dense[i] : st->part[i - ndense(st)];
}

static bool
filled(uint64_t slot)
{
	return slot != 0 && slot >> 16 < K3_ST_TOLD;
}

static void
name_of(const struct k3_st *st, uint64_t i, char buf[K3_NAME_MAX])
{
	const struct k3_cfg *cfg = st->cfg;

	if (i < ndense(st)) {
		k3_tensor_name((unsigned)(i / K3_NTENSOR),
		    (enum k3_tensor)(i % K3_NTENSOR), buf);
		return;
	}
	i -= ndense(st);
	k3_part_name((unsigned)(i / K3_NPART / cfg->experts) + cfg->ndense,
	    (unsigned)(i / K3_NPART % cfg->experts),
	    (enum k3_part)(i % K3_NPART), buf);
}

int
k3_stcheck_complete(const struct k3_st *st, const char *dir, struct k3_err *err)
{
	char name[K3_NAME_MAX];
	struct k3_shape shape;
	uint64_t i, slot = 0;

	if (st->found == st->need)
		return 0;
	for (i = 0; i < nslot(st); i++) {
		if (filled(slot = slot_at(st, i)))
			continue;
		if (i >= ndense(st) ||
		    k3_tensor_shape(st->cfg, (unsigned)(i / K3_NTENSOR),
			(enum k3_tensor)(i % K3_NTENSOR), &shape))
			break;
	}
	name_of(st, i, name);
	if (slot != 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " of %" PRIu64
		    " tensors are missing, the first is '%s', which the index "
		    "has in '%s'",
		    dir, st->need - st->found, st->need, name,
		    st->list.name[(slot & 0xffff) - 1]);
	return k3_fail(err, EX_DATAERR,
	    "'%s': %" PRIu64 " of %" PRIu64
	    " tensors are missing, the first is '%s'",
	    dir, st->need - st->found, st->need, name);
}

static bool
is_missing(const struct k3_st *st, uint64_t i)
{
	uint64_t slot = slot_at(st, i);
	struct k3_shape shape;

	if (filled(slot) || slot >> 16 == K3_ST_TOLD ||
	    (slot != 0 && st->file[(slot & 0xffff) - 1].bad))
		return false;
	return i >= ndense(st) ||
	       k3_tensor_shape(st->cfg, (unsigned)(i / K3_NTENSOR),
		   (enum k3_tensor)(i % K3_NTENSOR), &shape);
}

/* Is it the first part of an expert that lacks all, in the same way? */
static bool
is_expert(const struct k3_st *st, uint64_t i)
{
	if (i < ndense(st) || (i - ndense(st)) % K3_NPART != 0)
		return false;
	for (uint64_t k = 1; k < K3_NPART; k++)
		if (slot_at(st, i + k) != slot_at(st, i))
			return false;
	return true;
}

int
k3_stcheck_missing(const struct k3_st *st, const char *dir,
    k3_stcheck_wrong_fn *wrong, void *arg, struct k3_err *err)
{
	const struct k3_cfg *cfg = st->cfg;
	char name[K3_NAME_MAX], where[300];
	uint64_t n;

	for (uint64_t i = 0; i < nslot(st); i += n) {
		uint64_t slot = slot_at(st, i), e;

		n = 1;
		if (!is_missing(st, i))
			continue;
		where[0] = '\0';
		if (slot != 0)
			snprintf(where, sizeof(where), " in '%s'",
			    st->list.name[(slot & 0xffff) - 1]);
		if (is_expert(st, i)) {
			n = K3_NPART;
			e = (i - ndense(st)) / K3_NPART;
			k3_fail(err, EX_DATAERR,
			    "'%s' layer %u expert %u: missing%s", dir,
			    (unsigned)(e / cfg->experts) + cfg->ndense,
			    (unsigned)(e % cfg->experts), where);
		} else {
			name_of(st, i, name);
			k3_fail(err, EX_DATAERR, "'%s' tensor '%s': missing%s",
			    dir, name, where);
		}
		if (wrong(arg) != 0)
			return -1;
	}
	return 0;
}

struct span {
	uint64_t key; /* file, then offset */
	uint64_t i;   /* of the slot */
};

static int
compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static uint64_t
length(const struct k3_st *st, uint64_t i)
{
	struct k3_shape shape;
	unsigned layer = (unsigned)(i / K3_NTENSOR);

	if (i >= ndense(st)) {
		k3_part_shape(st->cfg,
		    (enum k3_part)((i - ndense(st)) % K3_NPART), &shape);
		return k3_shape_count(&shape);
	}
	k3_tensor_shape(st->cfg, layer, (enum k3_tensor)(i % K3_NTENSOR),
	    &shape);
	return k3_shape_count(&shape) *
	       k3_dtype_size((enum k3_dtype)st->dtype[i]);
}

/* Spans in order: each against the one before that reaches farthest. */
static int
compare_spans(const struct k3_st *st, const struct span *span, size_t n,
    k3_stcheck_wrong_fn *wrong, void *arg, struct k3_err *err)
{
	char a[K3_NAME_MAX], b[K3_NAME_MAX];
	uint64_t end = 0;
	size_t far = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t past = span[i].key + length(st, span[i].i);

		/* The end stays below the next file's first key. */
		if (i > 0 && span[i].key < end) {
			name_of(st, span[far].i, a);
			name_of(st, span[i].i, b);
			k3_fail(err, EX_DATAERR,
			    "'%s' tensor '%s': it shares bytes with '%s'",
			    st->file[span[i].key >> 48].path, b, a);
			if (wrong(arg) != 0)
				return -1;
		}
		if (past > end) {
			end = past;
			far = i;
		}
	}
	return 0;
}

int
k3_stcheck_overlap(const struct k3_st *st, const bool *unsorted,
    k3_stcheck_wrong_fn *wrong, void *arg, struct k3_err *err)
{
	struct span *span = NULL;
	size_t n = 0;
	bool any = false;
	int status = 0;

	for (unsigned i = 0; i < st->list.n; i++)
		any |= unsorted[i];
	if (!any)
		return 0;
	/* A file number and 48 bits of offset make a key. */
	if ((span = malloc((st->found + 1) * sizeof(*span))) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot check for overlaps: out of memory");
	for (uint64_t i = 0; i < nslot(st); i++) {
		uint64_t slot = slot_at(st, i);

		if (!filled(slot) || !unsorted[(slot & 0xffff) - 1])
			continue;
		span[n].key = ((slot & 0xffff) - 1) << 48 | slot >> 16;
		span[n++].i = i;
	}
	qsort(span, n, sizeof(*span), compare);
	status = compare_spans(st, span, n, wrong, arg, err);
	free(span);
	return status;
}
