/*
 * pack-write.c - k3-pack: write what is missing of the packed trunk
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/file.h"
#include "tools/pack.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

static bool
moved(void *arg, size_t bytes)
{
	tool_progress_add(arg, bytes);
	return !tool_signal_stop();
}

/* A model's folder may come with links to any file, such as a session. */
static bool
replaceable(struct pack *p, unsigned layer, struct k3_err *err)
{
	bool head = layer == p->cfg.nlayer;
	uint8_t magic[K3_LAYER_MAGIC];
	char name[K3_PACK_NAME], *path;
	int bad;

	k3_pack_name(&p->cfg, layer, name);
	path = pack_join(p->dir, name);
	k3_layer_magic(head ? K3_LAYER_HEAD : K3_LAYER_TRUNK, magic);
	bad = k3_file_may_replace(path, magic, sizeof(magic), "packed layer",
	    err);
	free(path);
	return bad == 0;
}

/* Before anything is written: is there room, and is the folder this model's? */
static void
prepare(struct pack *p)
{
	uint64_t total = 0, missing = 0, room = pack_free(p);
	struct k3_err err;

	for (unsigned i = p->first; i <= p->last; i++) {
		struct k3_layer *l;
		uint32_t n;
		uint64_t size = pack_size(p, i, &n);
		enum k3_pack_state state = pack_look(p, i, &l, &err);

		k3_layer_close(l);
		if (state == K3_PACK_FOREIGN ||
		    (state == K3_PACK_DAMAGED && !replaceable(p, i, &err)))
			pack_die(p, &err);
		total += size;
		if (state != K3_PACK_READY)
			missing += size;
	}
	if (missing > room) {
		k3_fail(&err, EX_CANTCREAT,
		    "cannot write to '%s': %" PRIu64
		    " bytes are needed, %" PRIu64 " are free",
		    p->dir, missing, room);
		pack_die(p, &err);
	}
	if (mkdir(p->dir, 0777) != 0 && errno != EEXIST) {
		k3_fail_errno(&err, EX_CANTCREAT, "cannot create '%s'", p->dir);
		pack_die(p, &err);
	}
	tool_progress_init(&p->progress, TOOL_BYTES, total, p->quiet,
	    p->verbose);
}

/* Is the file there, and right? */
static bool
ready(struct pack *p, unsigned layer)
{
	struct k3_err err;
	struct k3_layer *l;
	enum k3_pack_state state = pack_look(p, layer, &l, &err);
	uint64_t done = p->progress.done;
	bool good = state == K3_PACK_READY &&
		    k3_layer_check(l, moved, &p->progress, &err) == 0;

	k3_layer_close(l);
	if (good || state == K3_PACK_MISSING)
		return good;
	if (tool_signal_stop() || err.code != EX_DATAERR ||
	    state == K3_PACK_FOREIGN)
		pack_die(p, &err);
	p->progress.done = done;
	tool_progress_clear(&p->progress);
	if (!p->quiet)
		tool_warn(&err);
	return false;
}

static void
write_layer(struct pack *p, unsigned layer, const char *path)
{
	struct k3_file f;
	struct k3_err err;

	if (k3_file_create(&f, path, K3_FILE_PUBLIC, &err) != 0)
		pack_die(p, &err);
	if (k3_pack_write(&p->cfg, p->st, layer, p->fingerprint, f.fp, path,
		moved, &p->progress, &err) != 0) {
		k3_file_abort(&f);
		pack_die(p, &err);
	}
	if (k3_file_commit(&f, &err) != 0)
		pack_die(p, &err);
}

void
pack_write(struct pack *p)
{
	prepare(p);
	for (unsigned i = p->first; i <= p->last; i++) {
		char name[K3_PACK_NAME], *path;
		bool there;

		k3_pack_name(&p->cfg, i, name);
		path = pack_join(p->dir, name);
		p->progress.what = path;
		there = ready(p, i);
		if (!there)
			write_layer(p, i, path);
		tool_progress_clear(&p->progress);
		if (p->verbose)
			tool_note("%s '%s'", there ? "checked" : "wrote", path);
		free(path);
		if (tool_signal_stop())
			tool_signal_die();
	}
}

void
pack_write_stdout(struct pack *p)
{
	struct k3_err err;
	uint32_t n;

	tool_progress_init(&p->progress, TOOL_BYTES, pack_size(p, p->first, &n),
	    p->quiet, p->verbose);
	p->progress.what = "<stdout>";
	if (k3_pack_write(&p->cfg, p->st, p->first, p->fingerprint, stdout,
		"<stdout>", moved, &p->progress, &err) != 0)
		pack_die(p, &err);
	tool_progress_clear(&p->progress);
}
