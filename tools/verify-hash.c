/*
 * verify-hash.c - SHA-256 of files, several at a time
 *
 * Each file in work has blocks on their way.  A round takes one block of each,
 * and threads add them to the digests while the next ones are read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/flow.h"
#include "common/par.h"
#include "common/sha256.h"
#include "tools/tool-signal.h"
#include "tools/verify.h"

#define BLOCK  ((size_t)4 << 20)
#define BLOCKS 4

/* A queue keeps its files open, so that after so many there is a new one. */
#define FILES 128

/* A file in work, or none. */
struct lane {
	char *path;
	const void *tag;
	struct k3_flow *flow; /* NULL: the file could not be opened */
	struct k3_flow_range range;
	struct k3_flow_block block;
	struct k3_sha256 *sha;
	struct k3_err err;
	int got; /* of the block: 1, 0 or -1 */
};

struct hash {
	struct verify *v;
	const struct verify_hash_ask *ask;
	struct k3_io *io;
	struct lane *lane; /* [ask->lanes] */
	unsigned files;    /* of io */
	bool end;
};

static void
open_queue(struct hash *h)
{
	static const struct k3_io_ask usual;
	struct k3_err err;

	if ((h->io = k3_io_open(&usual, &err)) == NULL)
		verify_die(h->v, &err);
	h->files = 0;
}

static int
only_range(void *arg, struct k3_flow_range *range, struct k3_err *err)
{
	struct lane *l = arg;

	(void)err;
	*range = l->range;
	l->range.len = 0;
	return range->len > 0;
}

/* A file that cannot be read is that file's result, as it is later. */
static void
begin(struct hash *h, struct lane *l, int fd, uint64_t size)
{
	struct k3_err err;

	l->range = (struct k3_flow_range){ .len = size, .what = "its digest" };
	if (size > 0)
		l->range.file = k3_io_file(h->io, l->path, fd, &l->err);
	close(fd);
	h->files++;
	if (size > 0 && l->range.file == NULL) {
		l->got = -1;
		return;
	}
	if ((l->flow = k3_flow_open(h->io, BLOCK, BLOCKS, only_range, l,
		 &err)) == NULL ||
	    (l->sha = k3_sha256_open(&err)) == NULL ||
	    k3_flow_fill(l->flow, &err) != 0)
		verify_die(h->v, &err);
}

static bool
is_busy(const struct hash *h)
{
	for (unsigned i = 0; i < h->ask->lanes; i++)
		if (h->lane[i].path != NULL)
			return true;
	return false;
}

/* The next files for the lanes that are free; false if all are done. */
static bool
refill(struct hash *h)
{
	bool busy = is_busy(h);

	if (h->files >= FILES && !busy) {
		k3_io_close(h->io);
		open_queue(h);
	}
	for (unsigned i = 0; i < h->ask->lanes; i++) {
		struct lane *l = &h->lane[i];
		uint64_t size;
		int fd;

		if (l->path == NULL && !h->end && h->files < FILES) {
			fd =
			    h->ask->next(h->ask->arg, &l->path, &size, &l->tag);
			if (fd >= 0)
				begin(h, l, fd, size);
			else
				h->end = true;
		}
		busy |= l->path != NULL;
	}
	return busy;
}

static void
finish(struct hash *h, struct lane *l)
{
	uint8_t digest[K3_SHA256];
	char hex[VERIFY_HEX] = "";

	if (l->got == 0)
		l->got = k3_sha256_get(l->sha, digest, &l->err);
	for (size_t i = 0; l->got == 0 && i < K3_SHA256; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	h->ask->done(h->ask->arg, l->tag, l->path, hex,
	    l->got == 0 ? NULL : &l->err);
	k3_flow_close(l->flow);
	k3_sha256_close(l->sha);
	free(l->path);
	memset(l, 0, sizeof(*l));
}

static void
add(void *arg, size_t first, size_t past, unsigned thread)
{
	struct hash *h = arg;

	(void)thread;
	for (size_t i = first; i < past; i++) {
		struct lane *l = &h->lane[i];

		if (l->path != NULL && l->got == 1)
			l->got = k3_sha256_add(l->sha, l->block.data,
				     l->block.len, &l->err) == 0
				     ? 1
				     : -1;
	}
}

static void
rounds(struct hash *h, const struct k3_par *par)
{
	while (refill(h)) {
		for (unsigned i = 0; i < h->ask->lanes; i++) {
			struct lane *l = &h->lane[i];

			if (l->path != NULL && l->flow != NULL)
				l->got =
				    k3_flow_get(l->flow, &l->block, &l->err);
		}
		k3_par_run(par, h->ask->lanes, 1, add, h);
		if (tool_signal_stop())
			verify_die(h->v, NULL);
		for (unsigned i = 0; i < h->ask->lanes; i++) {
			struct lane *l = &h->lane[i];

			if (l->path != NULL && l->got == 1)
				tool_progress_add(&h->v->progress,
				    l->block.len);
			else if (l->path != NULL)
				finish(h, l);
		}
	}
}

void
verify_hash(struct verify *v, const struct verify_hash_ask *ask)
{
	struct hash h = { .v = v, .ask = ask };
	struct k3_par par;
	struct k3_err err;

	h.lane = calloc(ask->lanes, sizeof(*h.lane));
	if (h.lane == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'files'");
		verify_die(v, &err);
	}
	if (k3_par_open(&par, ask->lanes, &err) != 0)
		verify_die(v, &err);
	open_queue(&h);
	rounds(&h, &par);
	if (tool_signal_stop())
		verify_die(v, NULL);
	k3_par_close(&par);
	k3_io_close(h.io);
	free(h.lane);
}
