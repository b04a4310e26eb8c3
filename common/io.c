/*
 * io.c - reads in flight: what callers see
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io-impl.h"

/*
 * GB/s of direct reads by aio, on a virtual disk that gives 2.9 (make bench
 * BENCH=disk):
 *
 *	depth      1     2     4     8    16
 *	256 KB  1.31  1.80  1.36  2.01  2.40
 *	1 MB    1.70  1.98  2.66  1.99  2.48
 *	2 MB    2.33  2.02  2.62  2.73  2.77
 *	8 MB    2.59  2.67  2.81  2.56  2.51
 *
 * Of the pairs that are as fast as any, this one leaves an expert of 17 MB
 * in flight as a whole, and lets an urgent read wait for 16 MB at most.
 */
#define DEPTH 8
#define PIECE ((size_t)2 << 20)

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
	return io->engine->name;
}

/* Or, unless the caller insists on another one, threads. */
static int
open_engine(struct k3_io *io, const struct k3_io_ask *ask)
{
	io->engine = ask->engine != NULL ? ask->engine : &k3_io_aio;
	io->state = io->engine->open(io->depth, io->bell, ask->arg);
	if (io->state != NULL)
		return 0;
	if (io->engine != &k3_io_aio || errno == ENOMEM)
		return -1;
	io->no_aio = errno;
	io->engine = &k3_io_pread;
	io->state = io->engine->open(io->depth, io->bell, NULL);
	return io->state != NULL ? 0 : -1;
}

static void
release(struct k3_io *io)
{
	struct k3_io_file *next;

	for (struct k3_io_file *f = io->file; f != NULL; f = next) {
		next = f->next;
		close(f->fd);
		free(f->probe);
		free(f->path);
		free(f);
	}
	if (io->state != NULL)
		io->engine->close(io->state);
	if (io->second_state != NULL)
		io->second->close(io->second_state);
	if (io->bell >= 0)
		close(io->bell);
	pthread_cond_destroy(&io->settled);
	pthread_mutex_destroy(&io->lock);
	free(io->piece);
	free(io);
}

static void
choose(struct k3_io *io, const struct k3_io_ask *ask)
{
	size_t piece = ask->piece > 0 ? ask->piece : PIECE;

	io->depth = ask->depth > 0 ? ask->depth : DEPTH;
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

	if (io == NULL) {
		k3_fail(err, EX_OSERR, "cannot start reads: out of memory");
		return NULL;
	}
	init_sync(io);
	choose(io, ask);
	io->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	io->piece = calloc(io->depth, sizeof(*io->piece));
	if (io->bell < 0 || io->piece == NULL || open_engine(io, ask) != 0)
		goto fail;
	errno = k3_io_spawn(&io->thread, k3_io_run, io);
	if (errno == 0)
		return io;
fail:
	k3_fail_errno(err, EX_OSERR, "cannot start reads");
	release(io);
	return NULL;
}

/*
 * Wait for something to settle.  True if the I/O thread has been stuck for the
 * timeout in handing pieces to the kernel, so that it settles nothing.  Waking
 * up late means that the whole process was stopped, which proves nothing.
 */
static bool
watch(struct k3_io *io)
{
	double now = k3_clock(), since = io->submitting;
	double until = (since > 0 ? since : now) + io->timeout;
	struct timespec ts;

	if (until < now + 1)
		until = now + 1;
	ts.tv_sec = (time_t)until;
	ts.tv_nsec = (long)((until - (double)ts.tv_sec) * 1e9);
	if (pthread_cond_timedwait(&io->settled, &io->lock, &ts) != ETIMEDOUT)
		return false;
	now = k3_clock();
	return since > 0 && io->submitting == since &&
	       now >= since + io->timeout && now < until + 1;
}

int
k3_io_close(struct k3_io *io)
{
	bool stuck = false, lost = false;

	if (io == NULL)
		return 0;
	pthread_mutex_lock(&io->lock);
	io->quit = true;
	for (int urgent = 0; urgent < 2; urgent++)
		while (io->queue[urgent].first != NULL) {
			struct k3_io_read *read = io->queue[urgent].first;

			k3_io_fail(io, read, ECANCELED, read->cut);
		}
	k3_io_wake(io);
	while (!io->gone && !stuck)
		stuck = watch(io);
	pthread_mutex_unlock(&io->lock);
	if (stuck)
		return -1;
	if (!io->joined)
		pthread_join(io->thread, NULL);
	io->joined = true;
	pthread_mutex_lock(&io->lock);
	k3_io_reap(io);
	for (unsigned i = 0; i < io->depth; i++)
		lost |= io->piece[i].where != K3_IO_FREE;
	pthread_mutex_unlock(&io->lock);
	if (lost)
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
		k3_io_enqueue(io, read, urgent);
		k3_io_wake(io);
	}
	pthread_mutex_unlock(&io->lock);
}

void
k3_io_urge(struct k3_io *io, struct k3_io_read *read)
{
	pthread_mutex_lock(&io->lock);
	if (read->state == K3_IO_QUEUED && read->cut < read->end &&
	    !read->urgent) {
		k3_io_dequeue(io, read);
		k3_io_enqueue(io, read, true);
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
	for (unsigned i = 0; i < io->depth; i++)
		if (io->piece[i].read == read)
			k3_io_lose(io, &io->piece[i]);
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
		if (watch(io) && read->state == K3_IO_QUEUED)
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
