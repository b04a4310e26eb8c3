/*
 * trace-disk-run.c - k3-trace disk: reads as the engine has them, and their
 * time
 *
 * A lane is reads of one kind of which some are always asked for: enough that
 * the queue never lacks pieces.  It goes in the order of asking, so the oldest
 * one is waited for, and then asks for something else.
 */
#include <string.h>

#include "common/clock.h"
#include "tools/tool-signal.h"
#include "tools/trace-disk.h"

/*
 * K3 reads 16 experts of a layer, 0.28 GB, to 1.16 GB of trunk: the same with
 * fewer at a time, so that many layers fit into a turn.
 */
#define BURST   4
#define MIXTURE 4 /* bytes of trunk to one of experts */

#define LANE_MOST (1 + K3_IO_MAX_DEPTH)

struct lane {
	struct k3_io_read read[LANE_MOST];
	double since[LANE_MOST];
	unsigned n, oldest;
	bool trunk;
};

struct turn {
	struct disk *d;
	struct disk_row *row;
	struct k3_io *io;
	struct lane experts, trunk;
	double end; /* ask for nothing more after it */
	uint64_t reads, bytes;
};

/* Reads that keep 'depth' pieces in flight while one of them is renewed. */
static unsigned
width(uint64_t size, unsigned depth)
{
	uint64_t pieces = (size + K3_IO_PIECE - 1) / K3_IO_PIECE;

	return 1 + (unsigned)((depth + pieces - 1) / pieces);
}

static uint64_t
room(uint64_t size)
{
	return k3_io_room(K3_IO_ALIGN - 1, size);
}

uint64_t
disk_memory(const struct disk *d)
{
	uint64_t trunk = width(d->trunk, K3_IO_DEPTH) * room(d->trunk);
	uint64_t most = trunk + BURST * room(d->expert);

	for (unsigned i = 0; i < d->nrow; i++) {
		const struct disk_row *row = &d->row[i];
		uint64_t bytes = width(row->size, row->depth) * room(row->size);

		if (bytes > most)
			most = bytes;
	}
	return most;
}

/* A place in all files as if they were one, but not over their ends. */
static void
aim_random(struct disk *d, struct k3_io_read *read)
{
	uint64_t at = disk_random(&d->random) % d->bytes;
	const struct disk_file *f = d->file;

	while (at >= f->size)
		at -= f++->size;
	read->file = f->io;
	read->off = disk_random(&d->random) % (f->size - read->len + 1);
}

/* What follows; from one file's end to the next one's beginning. */
static void
aim_next(struct disk *d, struct k3_io_read *read)
{
	while (d->file[d->at].size < d->pos + read->len) {
		d->at = (d->at + 1) % d->nfile;
		d->pos = 0;
	}
	read->file = d->file[d->at].io;
	read->off = d->pos;
	d->pos += read->len;
}

static void
lane_init(struct lane *l, bool trunk, uint64_t size, unsigned n, uint8_t *mem)
{
	memset(l, 0, sizeof(*l));
	l->n = n;
	l->trunk = trunk;
	for (unsigned i = 0; i < n; i++) {
		l->read[i].len = size;
		l->read[i].what = trunk ? "trunk" : "expert";
		l->read[i].dst = mem + i * room(size);
	}
}

static void
start(struct turn *t, struct lane *l, unsigned i)
{
	struct k3_io_read *read = &l->read[i];

	if (l->trunk)
		aim_next(t->d, read);
	else
		aim_random(t->d, read);
	read->dst -= k3_io_skew((uintptr_t)read->dst);
	read->dst += k3_io_skew(read->off);
	l->since[i] = k3_clock();
	k3_io_start(t->io, read, !l->trunk);
}

static void
start_all(struct turn *t, struct lane *l)
{
	l->oldest = 0;
	for (unsigned i = 0; i < l->n; i++)
		start(t, l, i);
}

/* Wait for the oldest, and begin another one, or not. */
static void
renew(struct turn *t, struct lane *l, bool again)
{
	unsigned i = l->oldest;
	struct disk_row *row = t->row;
	struct k3_io_read *read = &l->read[i];
	struct k3_err err;
	double was = t->d->progress.start;
	uint64_t ms;

	if (k3_io_wait(t->io, read, &err) != 0)
		disk_die(t->d, &err);
	if (!l->trunk || row->pattern == DISK_SEQUENTIAL)
		row->latent[row->nlatent++ % DISK_LATENT] =
		    k3_clock() - l->since[i];
	t->reads++;
	t->bytes += read->len;
	t->d->progress.bytes += read->len;
	ms = (uint64_t)((k3_clock() - was) * 1e3);
	tool_progress_add(&t->d->progress,
	    ms > t->d->progress.done ? ms - t->d->progress.done : 0);
	if (tool_signal_stop())
		disk_die(t->d, &err);
	if (again)
		start(t, l, i);
	l->oldest = (i + 1) % l->n;
}

static void
finish(struct turn *t, struct lane *l)
{
	for (unsigned i = 0; i < l->n; i++)
		renew(t, l, false);
}

static void
stream(struct turn *t, struct lane *l)
{
	start_all(t, l);
	while (k3_clock() < t->end)
		renew(t, l, true);
	finish(t, l);
}

/* Layer by layer: its experts, at once and urgent, and trunk read ahead. */
static void
layers(struct turn *t)
{
	uint64_t experts = t->experts.n * t->experts.read[0].len;

	start_all(t, &t->trunk);
	do {
		uint64_t until = t->bytes + (1 + MIXTURE) * experts;

		start_all(t, &t->experts);
		finish(t, &t->experts);
		while (t->bytes < until && k3_clock() < t->end)
			renew(t, &t->trunk, true);
	} while (k3_clock() < t->end);
	finish(t, &t->trunk);
}

static void
set_up(struct turn *t)
{
	const struct disk *d = t->d;
	unsigned wide = width(t->row->size, t->row->depth);

	if (t->row->pattern == DISK_RANDOM) {
		lane_init(&t->experts, false, d->expert, wide, d->mem);
	} else if (t->row->pattern == DISK_SEQUENTIAL) {
		lane_init(&t->trunk, true, d->trunk, wide, d->mem);
	} else {
		lane_init(&t->experts, false, d->expert, BURST, d->mem);
		lane_init(&t->trunk, true, d->trunk,
		    width(d->trunk, t->row->depth),
		    d->mem + BURST * room(d->expert));
	}
}

void
disk_turn(struct disk *d, struct disk_row *row, double seconds)
{
	static struct turn t;
	struct k3_io_stats before, after;
	uint64_t from = 0, to = 0;
	double begin, took;

	memset(&t, 0, sizeof(t));
	t.d = d;
	t.row = row;
	d->progress.what = row->what;
	set_up(&t);
	t.io = disk_open(d, row->depth);
	d->counted = disk_fetched(&from) && d->counted;
	k3_io_stats(t.io, &before);
	begin = k3_clock();
	t.end = begin + seconds;
	if (row->pattern == DISK_MIXED)
		layers(&t);
	else
		stream(&t, row->pattern == DISK_RANDOM ? &t.experts : &t.trunk);
	took = k3_clock() - begin;
	k3_io_stats(t.io, &after);
	d->counted = disk_fetched(&to) && d->counted;
	d->arrived += after.bytes - before.bytes;
	d->fetched += to - from;
	row->reads += t.reads;
	row->bytes += t.bytes;
	row->seconds += took;
	row->rates[row->turns++] = (double)t.bytes / took;
	disk_close(d, t.io);
}
