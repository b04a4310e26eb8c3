/*
 * io.c - reads in flight: what callers see
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io-impl.h"

/* The NVMe driver itself gives up after 30, and says so. */
#define TIMEOUT 60.0

static uint64_t
unit_begin(uint64_t off)
{
	return off / K3_IO_ALIGN * K3_IO_ALIGN;
}

static uint64_t
unit_end(uint64_t off)
{
	return unit_begin(off + K3_IO_ALIGN - 1);
}

uint64_t
k3_io_room(uint64_t off, uint64_t len)
{
	return unit_end(k3_io_skew(off) + len);
}

size_t
k3_io_skew(uint64_t off)
{
	return (size_t)(off % K3_IO_ALIGN);
}

const char *
k3_io_name(const struct k3_io *io)
{
	return io->device->engine->name;
}

static void
release(struct k3_io *io)
{
	struct k3_io_file *next;
	struct k3_io_device *d;

	for (struct k3_io_file *f = io->file; f != NULL; f = next) {
		next = f->next;
		close(f->fd);
		free(f->probe);
		free(f->path);
		free(f);
	}
	while ((d = io->device) != NULL) {
		io->device = d->next;
		k3_io_device_free(d);
	}
	pthread_cond_destroy(&io->settled);
	pthread_mutex_destroy(&io->lock);
	free(io);
}

static void
choose(struct k3_io *io, const struct k3_io_ask *ask)
{
	size_t piece = ask->piece > 0 ? ask->piece : K3_IO_PIECE;

	io->engine = ask->engine;
	io->arg = ask->arg;
	io->depth = ask->depth > 0 ? ask->depth : K3_IO_DEPTH;
	if (io->depth > K3_IO_MAX_DEPTH)
		io->depth = K3_IO_MAX_DEPTH;
	io->piece_bytes =
	    piece < K3_IO_MAX_PIECE ? unit_end(piece) : K3_IO_MAX_PIECE;
	io->timeout = ask->timeout > 0 ? ask->timeout : TIMEOUT;
}

/* Timed waits go by the clock that nobody sets. */
static void
init_sync(struct k3_io *io)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&io->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&io->settled, &attr);
	pthread_condattr_destroy(&attr);
}

struct k3_io *
k3_io_open(const struct k3_io_ask *ask, struct k3_err *err)
{
	struct k3_io *io = calloc(1, sizeof(*io));
	struct k3_io_device *first;

	if (io == NULL) {
		k3_fail(err, EX_OSERR, "cannot start reads: out of memory");
		return NULL;
	}
	init_sync(io);
	choose(io, ask);
	io->counted = k3_clock();
	pthread_mutex_lock(&io->lock);
	first = k3_io_device_open(io);
	pthread_mutex_unlock(&io->lock);
	if (first != NULL)
		return io;
	k3_fail_errno(err, EX_OSERR, "cannot start reads");
	release(io);
	return NULL;
}

/*
 * Wait for something to settle.  True if the device's I/O thread has been stuck
 * for the timeout in handing pieces to the kernel, so that it settles nothing.
 * Waking up late means that the whole process was stopped, which proves
 * nothing.
 */
static bool
watch(struct k3_io_device *d)
{
	struct k3_io *io = d->io;
	double now = k3_clock(), since = d->submitting;
	double until = (since > 0 ? since : now) + io->timeout;
	struct timespec ts;

	if (until < now + 1)
		until = now + 1;
	ts.tv_sec = (time_t)until;
	ts.tv_nsec = (long)((until - (double)ts.tv_sec) * 1e9);
	if (pthread_cond_timedwait(&io->settled, &io->lock, &ts) != ETIMEDOUT)
		return false;
	now = k3_clock();
	return since > 0 && d->submitting == since &&
	       now >= since + io->timeout && now < until + 1;
}

/* Fail what is queued. */
static void
drop(struct k3_io_device *d)
{
	for (int urgent = 0; urgent < 2; urgent++)
		while (d->queue[urgent].first != NULL) {
			struct k3_io_read *read = d->queue[urgent].first;

			k3_io_fail(d->io, read, ECANCELED, read->cut);
		}
	k3_io_wake(d);
}

/* Wait for the thread's end.  Has the kernel given all places back? */
static bool
end(struct k3_io_device *d)
{
	while (!d->gone)
		if (watch(d))
			return false;
	pthread_mutex_unlock(&d->io->lock);
	if (!d->joined)
		pthread_join(d->thread, NULL);
	d->joined = true;
	pthread_mutex_lock(&d->io->lock);
	k3_io_reap(d);
	for (unsigned i = 0; i < d->io->depth; i++)
		if (d->piece[i].where != K3_IO_FREE)
			return false;
	return true;
}

int
k3_io_close(struct k3_io *io)
{
	bool good = true;

	if (io == NULL)
		return 0;
	pthread_mutex_lock(&io->lock);
	io->quit = true;
	for (struct k3_io_device *d = io->device; d != NULL; d = d->next)
		drop(d);
	for (struct k3_io_device *d = io->device; d != NULL && good;
	     d = d->next)
		good = end(d);
	pthread_mutex_unlock(&io->lock);
	if (!good)
		return -1;
	release(io);
	return 0;
}

void
k3_io_start(struct k3_io *io, struct k3_io_read *read, bool urgent)
{
	uint64_t off = read->off, end = off + read->len;

	assert(
	    read->len == 0 || ((uintptr_t)read->dst - off) % K3_IO_ALIGN == 0);
	read->npiece = 0;
	read->lost = read->failed = false;
	read->cut = read->end = off;
	read->state = K3_IO_QUEUED;
	pthread_mutex_lock(&io->lock);
	assert(!io->quit);
	if (end < off || end > INT64_MAX - K3_IO_ALIGN) {
		k3_io_fail(io, read, EOVERFLOW, off);
	} else if (off == end) {
		k3_io_settle(io, read);
	} else {
		bool direct = read->file->direct;

		read->cut = direct ? unit_begin(off) : off;
		read->end = direct ? unit_end(end) : end;
		k3_io_enqueue(read, urgent);
		k3_io_wake(read->file->device);
	}
	pthread_mutex_unlock(&io->lock);
}

void
k3_io_urge(struct k3_io *io, struct k3_io_read *read)
{
	pthread_mutex_lock(&io->lock);
	if (read->state == K3_IO_QUEUED && read->cut < read->end &&
	    !read->urgent) {
		k3_io_dequeue(read);
		k3_io_enqueue(read, true);
	}
	pthread_mutex_unlock(&io->lock);
}

bool
k3_io_done(struct k3_io *io, const struct k3_io_read *read)
{
	bool done;

	pthread_mutex_lock(&io->lock);
	done = read->state != K3_IO_QUEUED;
	pthread_mutex_unlock(&io->lock);
	return done;
}

/* Its pieces are with the kernel and nobody can say when they will be back. */
static void
abandon(struct k3_io *io, struct k3_io_read *read)
{
	k3_io_fail(io, read, ETIMEDOUT, read->cut);
	for (unsigned i = 0; i < io->depth; i++) {
		struct k3_io_piece *piece = &read->file->device->piece[i];

		if (piece->read == read)
			k3_io_lose(io, piece);
	}
}

/* 'read' has failed: in words. */
static int
explain(const struct k3_io *io, const struct k3_io_read *read,
    struct k3_err *err)
{
	const char *path = read->file->path;

	errno = read->error;
	if (read->error == 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s' byte %" PRIu64 ": the file ends here (%s)", path,
		    read->at, read->what);
	if (read->error == ETIMEDOUT)
		return k3_fail(err, EX_IOERR,
		    "cannot read '%s' offset %" PRIu64
		    " (%s): no answer for %g seconds",
		    path, read->at, read->what, io->timeout);
	return k3_fail_errno(err, EX_IOERR,
	    "cannot read '%s' offset %" PRIu64 " (%s)", path, read->at,
	    read->what);
}

int
k3_io_wait(struct k3_io *io, struct k3_io_read *read, struct k3_err *err)
{
	bool failed;

	pthread_mutex_lock(&io->lock);
	assert(read->state != K3_IO_IDLE);
	while (read->state == K3_IO_QUEUED)
		if (watch(read->file->device) && read->state == K3_IO_QUEUED)
			abandon(io, read);
	failed = read->state == K3_IO_FAILED;
	pthread_mutex_unlock(&io->lock);
	return failed ? explain(io, read, err) : 0;
}

void
k3_io_stats(struct k3_io *io, struct k3_io_stats *stats)
{
	pthread_mutex_lock(&io->lock);
	k3_io_count(io);
	*stats = io->stats;
	stats->depth = stats->busy > 0 ? io->load / stats->busy : 0;
	pthread_mutex_unlock(&io->lock);
}

const struct k3_io_engine *
k3_io_engine(const char *name, struct k3_err *err)
{
	if (strcmp(name, k3_io_aio.name) == 0)
		return &k3_io_aio;
	if (strcmp(name, k3_io_pread.name) == 0)
		return &k3_io_pread;
	k3_fail(err, EX_USAGE, "no I/O engine '%s': there are aio, pread",
	    name);
	return NULL;
}
