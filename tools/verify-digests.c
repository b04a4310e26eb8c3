/*
 * verify-digests.c - tensors, experts and rows against a file of digests
 */
#include <inttypes.h>
#include <stdlib.h>

#include "common/buf.h"
#include "tools/tool.h"
#include "tools/verify.h"

struct digests {
	struct verify *v;
	struct verify_entries e;
	const char *path;
	uint64_t done, wrong;
	/* What each file of the model has been through. */
	struct verify_done *remember;
	char hex[17];
	char **mark;   /* [files]: of each, before it is read */
	bool *known;   /* [files]: by what is remembered */
	unsigned file; /* of the entry before */
	bool good, any;
	bool foreign; /* only small tensors are compared */
};

static const char *
path_of(const struct digests *d, unsigned file)
{
	return k3_st_path(d->v->st, file);
}

/* Is any of the files that the entry is in new, or was it wrong? */
static bool
is_unknown(void *arg, uint64_t entry)
{
	struct digests *d = arg;
	struct k3_loc loc[K3_NPART];
	unsigned n = k3_sidecar_places(d->e.sidecar, d->v->st, entry, loc);

	for (unsigned k = 0; k < n; k++)
		if (!d->known[loc[k].file])
			return true;
	return false;
}

/* Small tensors, which a fingerprint is made of. */
static bool
is_small(void *arg, uint64_t entry)
{
	struct digests *d = arg;
	struct k3_sidecar_entry e = k3_sidecar_at(d->e.sidecar, entry);

	return e.t < K3_NTENSOR && k3_tensor_small((enum k3_tensor)e.t);
}

/* All entries that begin in a file have been read, unless few were to be. */
static void
end_file(struct digests *d)
{
	if (d->any && d->good && !d->foreign)
		verify_done_add(d->v, d->remember, d->mark[d->file], d->hex,
		    path_of(d, d->file));
	d->any = false;
}

static void
on_read(void *arg, uint64_t entry, uint64_t digest, const struct k3_err *err)
{
	struct digests *d = arg;
	struct k3_loc loc[K3_NPART];
	struct k3_err wrong;

	k3_sidecar_places(d->e.sidecar, d->v->st, entry, loc);
	if (!d->any || loc[0].file != d->file) {
		end_file(d);
		d->file = loc[0].file;
		d->any = d->good = true;
	}
	d->done++;
	if (err == NULL && k3_sidecar_compare(d->e.sidecar, entry, digest,
			       d->v->st, &wrong) != 0)
		err = &wrong;
	if (err != NULL) {
		d->good = false;
		d->wrong++;
		verify_found(d->v, err);
	}
}

/* Which digests are meant by what is remembered: those of this text. */
static void
identify(struct digests *d)
{
	struct k3_buf buf = { 0 };
	struct k3_err err;

	if (k3_buf_load(&buf, d->path, &err) != 0)
		verify_die(d->v, &err);
	snprintf(d->hex, sizeof(d->hex), "%016" PRIx64,
	    k3_digest64(buf.data, buf.len));
	k3_buf_fini(&buf);
	d->known = calloc(k3_st_nfile(d->v->st) + 1, sizeof(*d->known));
	d->mark = calloc(k3_st_nfile(d->v->st) + 1, sizeof(*d->mark));
	if (d->known == NULL || d->mark == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'files'");
		verify_die(d->v, &err);
	}
	for (unsigned i = 0; i < k3_st_nfile(d->v->st); i++) {
		d->mark[i] =
		    verify_done_mark(d->remember, d->hex, path_of(d, i));
		d->known[i] = verify_done_has(d->remember, d->mark[i]);
	}
}

void
verify_digests(struct verify *v, const char *path, struct verify_done *done)
{
	struct digests d = { .v = v,
		.path = path,
		.remember = done,
		.e = { .entry = on_read, .arg = &d } };
	char name[TOOL_NAME];
	struct k3_err err;
	uint64_t all;

	verify_entries_open(v, &d.e);
	all = d.e.n;
	if (k3_sidecar_load(d.e.sidecar, path, &d.foreign, &err) != 0 &&
	    !d.foreign)
		verify_die(v, &err);
	identify(&d);
	/* If it is damage, small tensors tell where; if not, all differ. */
	if (d.foreign)
		verify_found(v, &err);
	verify_entries_choose(&d.e, d.foreign ? is_small : is_unknown);
	verify_entries_read(v, &d.e);
	end_file(&d);
	printf("'%s': digests %" PRIu64 ", compared %" PRIu64 ", wrong %" PRIu64
	       "\n",
	    tool_name(name, path), all, d.done, d.wrong);
	verify_entries_close(&d.e);
	for (unsigned i = 0; i < k3_st_nfile(v->st); i++)
		free(d.mark[i]);
	free(d.mark);
	free(d.known);
}
