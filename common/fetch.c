/*
 * fetch.c - one routed expert on its way from the disk into a place
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/fetch.h"

/* Parts from '*p' on that adjoin in a file: where, and '*p' after the last. */
static struct k3_loc
run(const struct k3_st *st, unsigned layer, unsigned e, unsigned *p)
{
	struct k3_loc all = k3_st_part(st, layer, e, (enum k3_part) * p);

	while (++*p < K3_NPART) {
		struct k3_loc then =
		    k3_st_part(st, layer, e, (enum k3_part) * p);

		if (then.file != all.file || then.off != all.off + all.len)
			break;
		all.len += then.len;
	}
	return all;
}

uint64_t
k3_fetch_room(const struct k3_st *st, unsigned layer, unsigned e)
{
	uint64_t bytes = 0;

	for (unsigned p = 0; p < K3_NPART;) {
		struct k3_loc loc = run(st, layer, e, &p);

		bytes += k3_io_room(loc.off, loc.len);
	}
	return bytes;
}

unsigned
k3_fetch_reads(const struct k3_st *st, unsigned layer, unsigned e,
    struct k3_loc loc[K3_NPART])
{
	unsigned n = 0;

	for (unsigned p = 0; p < K3_NPART;)
		loc[n++] = run(st, layer, e, &p);
	return n;
}

void
k3_fetch_layout(const struct k3_st *st, unsigned layer, unsigned e, uint8_t *at,
    struct k3_fetch_layout *l)
{
	unsigned p = 0;

	for (l->n = 0; p < K3_NPART; l->n++) {
		unsigned first = p;
		struct k3_loc loc = run(st, layer, e, &p);

		l->read[l->n].file = loc.file;
		l->read[l->n].off = loc.off;
		l->read[l->n].len = loc.len;
		l->read[l->n].dst = at + k3_io_skew(loc.off);
		for (; first < p; first++)
			l->part[first] =
			    l->read[l->n].dst +
			    k3_st_part(st, layer, e, (enum k3_part)first).off -
			    loc.off;
		at += k3_io_room(loc.off, loc.len);
	}
}

int
k3_fetch_start(struct k3_fetch *f, struct k3_shards *shards, unsigned layer,
    unsigned e, const struct k3_fetch_layout *l, bool urgent, uint64_t *bytes,
    struct k3_err *err)
{
	f->n = 0;
	for (unsigned k = 0; k < l->n; k++) {
		f->read[k].file = k3_shards_file(shards, l->read[k].file, err);
		if (f->read[k].file == NULL)
			return -1;
	}
	snprintf(f->name, sizeof(f->name), "layer %u expert %u", layer, e);
	for (unsigned k = 0; k < l->n; k++) {
		struct k3_io_read *read = &f->read[k];

		read->off = l->read[k].off;
		read->len = l->read[k].len;
		read->dst = l->read[k].dst;
		read->what = f->name;
		k3_io_start(shards->io, read, urgent);
		*bytes += read->len;
	}
	f->n = l->n;
	return 0;
}

bool
k3_fetch_done(struct k3_io *io, const struct k3_fetch *f)
{
	for (unsigned k = 0; k < f->n; k++)
		if (!k3_io_done(io, &f->read[k]))
			return false;
	return true;
}

int
k3_fetch_wait(struct k3_io *io, struct k3_fetch *f, struct k3_err *err)
{
	for (unsigned k = 0; k < f->n; k++)
		k3_io_urge(io, &f->read[k]);
	for (unsigned k = 0; k < f->n; k++)
		if (k3_io_wait(io, &f->read[k], err) != 0)
			return -1;
	return 0;
}

int
k3_fetch_drop(struct k3_io *io, struct k3_fetch *f, struct k3_err *err)
{
	for (unsigned k = 0; k < f->n; k++)
		if (k3_io_wait(io, &f->read[k], err) != 0 && f->read[k].lost)
			return -1;
	return 0;
}
