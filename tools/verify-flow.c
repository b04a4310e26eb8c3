/*
 * verify-flow.c - the bytes of tensors and experts, at the speed of the disk
 */
#include <stdio.h>
#include <stdlib.h>

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
	/* What is started: of entry 'at' the place 'k' of n. */
	uint64_t at;
	unsigned k, n;
	struct k3_loc loc[K3_NPART];
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

/* The tag says which entry, and whether its last range. */
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
	}
	name_of(w, e->order[w->at - 1], name);
	r->file = k3_shards_file(&w->shards, w->loc[w->k].file, err);
	if (r->file == NULL)
		return -1;
	r->off = w->loc[w->k].off;
	r->len = w->loc[w->k].len;
	r->what = name;
	w->k++;
	r->tag = (uint64_t)e->order[w->at - 1] << 1 | (w->k == w->n);
	w->ranges++;
	return 1;
}

static void
begin(struct work *w)
{
	const struct verify_entries *e = w->e;
	static const struct k3_io_ask usual;
	struct k3_loc loc[K3_NPART];
	struct k3_err err;
	uint64_t total = 0;
	char note[256];

	for (uint64_t i = 0; i < e->n; i++)
		for (unsigned k = k3_sidecar_places(e->sidecar, w->v->st,
			 e->order[i], loc);
		     k-- > 0;)
			total += loc[k].len;
	if ((w->digest = k3_digest_open(K3_DIGEST_64, &err)) == NULL ||
	    (w->io = k3_io_open(&usual, &err)) == NULL ||
	    k3_shards_init(&w->shards, w->v->st, w->io, NULL, &err) != 0 ||
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

/* All blocks; of an entry that can't be read, the rest is passed over. */
static void
run(struct work *w)
{
	struct k3_flow_block b;
	bool failed = false;
	struct k3_err err, why = { .code = EX_OK };
	int got;

	while ((got = k3_flow_get(w->flow, &b, &err)) != 0) {
		if (got < 0 && b.dead)
			verify_die(w->v, &err);
		if (got < 0 && !failed) {
			failed = true;
			why = err;
		}
		if (!failed)
			k3_digest_add(w->digest, b.data, b.len);
		tool_progress_add(&w->v->progress, b.len);
		if (tool_signal_stop())
			verify_die(w->v, NULL);
		if (!b.last || b.tag % 2 == 0)
			continue;
		w->e->entry(w->e->arg, b.tag >> 1, k3_digest_get64(w->digest),
		    failed ? &why : NULL);
		k3_digest_reset(w->digest);
		failed = false;
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
