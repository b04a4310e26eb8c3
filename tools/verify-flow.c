/*
 * verify-flow.c - the bytes that have digests, at the speed of the disk
 *
 * Blocks come in the order in which they were asked for, so that they are the
 * bytes of the entries one after the other.  Rows of the embedding are short:
 * those that adjoin are one range, and one that lies in a block that cannot be
 * read is read again, alone.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/flow.h"
#include "common/pack.h"
#include "common/shards.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify.h"

/* So many blocks on their way. */
#define BLOCK  ((size_t)4 << 20)
#define BLOCKS 8

struct work {
	struct verify *v;
	const struct verify_entries *e;
	struct k3_io *io;
	struct k3_shards shards;
	struct k3_digest *digest;
	struct k3_flow *flow;
	/* What is started: of the entry before 'at' the place 'k' of n. */
	uint64_t at;
	unsigned k, n;
	struct k3_loc loc[K3_NPART];
	/* What is delivered: entries, and bytes that the next one lacks. */
	uint64_t given, lacks;
	bool failed; /* a part of it, for this reason: */
	struct k3_err why;
	/* Of each range on its way, and the one before. */
	char name[BLOCKS + 2][K3_NAME_MAX + 16];
	uint64_t ranges;
};

static void
name_of(const struct work *w, uint64_t entry, char name[K3_NAME_MAX + 16])
{
	struct k3_sidecar_entry e = k3_sidecar_at(w->e->sidecar, entry);

	if (e.t < K3_NTENSOR)
		k3_tensor_name(e.layer, (enum k3_tensor)e.t, name);
	else
		snprintf(name, K3_NAME_MAX + 16, "layer %u expert %u", e.layer,
		    e.number);
}

static bool
is_row(const struct work *w, uint64_t entry)
{
	return k3_sidecar_at(w->e->sidecar, entry).t == K3_T_EMBED;
}

static uint64_t
size_of(const struct work *w, uint64_t entry)
{
	struct k3_loc loc[K3_NPART];
	unsigned n = k3_sidecar_places(w->e->sidecar, w->v->st, entry, loc);
	uint64_t len = 0;

	while (n-- > 0)
		len += loc[n].len;
	return len;
}

/* The rows that follow in the file join the one that is started. */
static void
join_rows(struct work *w)
{
	const struct verify_entries *e = w->e;
	struct k3_loc *loc = w->loc, next[K3_NPART];

	for (; w->at < e->n && is_row(w, e->order[w->at]); w->at++) {
		k3_sidecar_places(e->sidecar, w->v->st, e->order[w->at], next);
		if (next->off != loc->off + loc->len)
			return;
		loc->len += next->len;
	}
}

static int
next(void *arg, struct k3_flow_range *r, struct k3_err *err)
{
	struct work *w = arg;
	const struct verify_entries *e = w->e;
	char *name = w->name[w->ranges % (BLOCKS + 2)];

	if (w->k == w->n) {
		if (w->at == e->n)
			return 0;
		w->n = k3_sidecar_places(e->sidecar, w->v->st,
		    e->order[w->at++], w->loc);
		w->k = 0;
		if (is_row(w, e->order[w->at - 1]))
			join_rows(w);
	}
	name_of(w, e->order[w->at - 1], name);
	r->file = k3_shards_file(&w->shards, w->loc[w->k].file, err);
	if (r->file == NULL)
		return -1;
	r->off = w->loc[w->k].off;
	r->len = w->loc[w->k].len;
	r->what = name;
	w->k++;
	w->ranges++;
	return 1;
}

static void
begin(struct work *w)
{
	const struct verify_entries *e = w->e;
	static const struct k3_io_ask usual;
	struct k3_err err;
	uint64_t total = 0;
	char note[256];

	for (uint64_t i = 0; i < e->n; i++)
		total += size_of(w, e->order[i]);
	w->lacks = e->n > 0 ? size_of(w, e->order[0]) : 0;
	if ((w->digest = k3_digest_open(K3_DIGEST_64, &err)) == NULL ||
	    (w->io = k3_io_open(&usual, &err)) == NULL ||
	    k3_shards_init(&w->shards, w->v->st, w->io, NULL, NULL, &err) !=
		0 ||
	    (w->flow = k3_flow_open(w->io, BLOCK, BLOCKS, next, w, &err)) ==
		NULL)
		verify_die(w->v, &err);
	tool_progress_init(&w->v->progress, TOOL_BYTES, total, w->v->quiet,
	    w->v->verbose);
	w->v->progress.what = w->v->model;
	if (k3_flow_fill(w->flow, &err) != 0)
		verify_die(w->v, &err);
	if (k3_io_note(w->io, note, sizeof(note)) && w->v->verbose)
		tool_note("%s", note);
}

static void
end(struct work *w)
{
	tool_progress_clear(&w->v->progress);
	k3_flow_close(w->flow);
	k3_io_close(w->io);
	k3_shards_fini(&w->shards);
	k3_digest_close(w->digest);
}

/* A row of a block that could not be read; others of it may be right. */
static void
again(struct work *w, uint64_t entry)
{
	struct k3_loc loc[K3_NPART];
	char what[K3_NAME_MAX + 32];
	uint8_t *row;

	k3_sidecar_places(w->e->sidecar, w->v->st, entry, loc);
	name_of(w, entry, what);
	snprintf(what + strlen(what), 32, " row %u",
	    k3_sidecar_at(w->e->sidecar, entry).number);
	if ((row = malloc(loc->len)) == NULL) {
		k3_fail(&w->why, EX_OSERR, "cannot allocate '%s'", what);
		verify_die(w->v, &w->why);
	}
	w->failed = k3_st_read(w->v->st, loc->file, loc->off, row, loc->len,
			what, &w->why) != 0;
	k3_digest_reset(w->digest);
	k3_digest_add(w->digest, row, w->failed ? 0 : loc->len);
	free(row);
}

static void
give(struct work *w)
{
	const struct verify_entries *e = w->e;
	uint64_t entry;

	assert(w->given < e->n);
	entry = e->order[w->given++];
	if (w->failed && is_row(w, entry))
		again(w, entry);
	e->entry(e->arg, entry, k3_digest_get64(w->digest),
	    w->failed ? &w->why : NULL);
	k3_digest_reset(w->digest);
	w->failed = false;
	w->lacks = w->given < e->n ? size_of(w, e->order[w->given]) : 0;
}

/* A block, or if 'err' the place of one: of an entry, or of several. */
static void
take(struct work *w, const struct k3_flow_block *b, const struct k3_err *err)
{
	uint64_t n;

	for (size_t at = 0; at < b->len; at += n) {
		n = b->len - at < w->lacks ? b->len - at : w->lacks;
		if (err != NULL && !w->failed) {
			w->failed = true;
			w->why = *err;
		}
		if (!w->failed)
			k3_digest_add(w->digest, b->data + at, n);
		w->lacks -= n;
		if (w->lacks == 0)
			give(w);
	}
}

/* All blocks; of an entry that can't be read, the rest is passed over. */
static void
run(struct work *w)
{
	struct k3_flow_block b;
	struct k3_err err;
	int got;

	while ((got = k3_flow_get(w->flow, &b, &err)) != 0) {
		if (got < 0 && b.dead)
			verify_die(w->v, &err);
		take(w, &b, got < 0 ? &err : NULL);
		tool_progress_add(&w->v->progress, b.len);
		if (tool_signal_stop())
			verify_die(w->v, NULL);
	}
}

void
verify_entries_read(struct verify *v, const struct verify_entries *e)
{
	struct work w = { .v = v, .e = e };

	begin(&w);
	run(&w);
	end(&w);
}

void
verify_entries_open(struct verify *v, struct verify_entries *e)
{
	uint8_t print[K3_DIGEST128];
	struct k3_err err;

	if (k3_fingerprint(&v->cfg, v->st, print, &err) != 0 ||
	    (e->sidecar = k3_sidecar_open(&v->cfg, print, &err)) == NULL)
		verify_die(v, &err);
	e->n = k3_sidecar_count(e->sidecar);
	e->order = calloc(e->n, sizeof(*e->order));
	if (e->order == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'digests'");
		verify_die(v, &err);
	}
	if (k3_sidecar_by_place(e->sidecar, v->st, e->order, &err) != 0)
		verify_die(v, &err);
}

void
verify_entries_close(struct verify_entries *e)
{
	k3_sidecar_close(e->sidecar);
	free(e->order);
}

void
verify_entries_choose(struct verify_entries *e,
    bool (*keep)(void *arg, uint64_t entry))
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < e->n; i++)
		if (keep(e->arg, e->order[i]))
			e->order[n++] = e->order[i];
	e->n = n;
}
