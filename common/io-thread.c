/*
 * io-thread.c - an I/O thread: sends pieces, takes them back, and sleeps
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "common/clock.h"
#include "common/io-impl.h"

/* Before the kernel is asked again after EAGAIN, in seconds. */
#define PAUSE 0.002

/* Waking up so many seconds late means that the process was stopped. */
#define LATE 1.0

void
k3_io_ring(int bell)
{
	eventfd_write(bell, 1);
}

static void
reap(struct k3_io *io, const struct k3_io_engine *engine, void *state)
{
	struct k3_io_op *op[K3_IO_MAX_DEPTH];
	unsigned n;

	/* The piece begins with its op. */
	while ((n = engine->reap(state, op, io->depth)) > 0)
		for (unsigned i = 0; i < n; i++)
			k3_io_back(io, (struct k3_io_piece *)op[i]);
}

void
k3_io_reap(struct k3_io_device *d)
{
	reap(d->io, d->engine, d->state);
	if (d->second_state != NULL)
		reap(d->io, &k3_io_pread, d->second_state);
}

/* The engine has it; its read may have failed while it was handed over. */
static void
handed(struct k3_io *io, struct k3_io_piece *piece)
{
	k3_io_count(io);
	piece->where = K3_IO_OUT;
	io->out += piece->read != NULL;
}

/* Hand pieces to an engine.  Lets the lock go meanwhile. */
static void
hand(struct k3_io_device *d, const struct k3_io_engine *engine, void *state,
    struct k3_io_op **op, unsigned n)
{
	struct k3_io *io = d->io;
	int taken = 0;

	while (n > 0) {
		d->submitting = k3_clock();
		pthread_mutex_unlock(&io->lock);
		taken = engine->submit(state, op, n);
		pthread_mutex_lock(&io->lock);
		d->submitting = 0;
		if (taken == 0 || taken == -EAGAIN || taken == -EINTR)
			break;
		if (taken < 0) {
			op[0]->res = taken;
			k3_io_back(io, (struct k3_io_piece *)op[0]);
			taken = 1;
		} else {
			for (int i = 0; i < taken; i++)
				handed(io, (struct k3_io_piece *)op[i]);
		}
		op += taken;
		n -= (unsigned)taken;
	}
	d->again |= n > 0;
	for (unsigned i = 0; i < n; i++)
		k3_io_keep(io, (struct k3_io_piece *)op[i]);
}

static struct k3_io_read *
next_read(const struct k3_io_device *d)
{
	if (d->queue[1].first != NULL)
		return d->queue[1].first;
	return d->queue[0].first;
}

/* Those to be sent again, then new ones as far as there is room. */
static void
fill(struct k3_io_device *d)
{
	struct k3_io_read *read;

	for (unsigned i = 0; i < d->io->depth; i++)
		if (d->piece[i].where == K3_IO_FREE &&
		    (read = next_read(d)) != NULL)
			k3_io_cut(d->io, read, &d->piece[i]);
}

static void
send_all(struct k3_io_device *d)
{
	struct k3_io_op *op[2][K3_IO_MAX_DEPTH];
	unsigned n[2] = { 0, 0 };

	d->again = false;
	fill(d);
	for (unsigned i = 0; i < d->io->depth; i++) {
		struct k3_io_piece *piece = &d->piece[i];
		bool second = !piece->direct && !d->engine->buffered;

		if (piece->where != K3_IO_READY)
			continue;
		piece->where = K3_IO_SENDING;
		op[second][n[second]++] = &piece->op;
	}
	hand(d, d->engine, d->state, op[0], n[0]);
	if (n[1] > 0)
		hand(d, &k3_io_pread, d->second_state, op[1], n[1]);
}

/* When every piece is lost nothing can answer those that wait, either. */
static void
give_up(struct k3_io_device *d)
{
	struct k3_io_read *read;

	for (unsigned i = 0; i < d->io->depth; i++)
		if (d->piece[i].where == K3_IO_FREE || d->piece[i].read != NULL)
			return;
	while ((read = next_read(d)) != NULL)
		k3_io_fail(d->io, read, ETIMEDOUT, read->cut);
}

/* Pieces that have been silent for too long.  The time of the next one. */
static double
expire(struct k3_io_device *d)
{
	double now = k3_clock(), next = INFINITY;

	for (unsigned i = 0; i < d->io->depth; i++) {
		struct k3_io_piece *piece = &d->piece[i];
		double end = piece->since + d->io->timeout;

		if (piece->read == NULL)
			continue;
		if (end > now)
			next = end < next ? end : next;
		else if (piece->where == K3_IO_READY)
			k3_io_fail(d->io, piece->read, EAGAIN, piece->pos);
		else
			k3_io_lose(d->io, piece);
	}
	give_up(d);
	return next;
}

/* Is there something to do without waiting? */
static bool
can_send(const struct k3_io_device *d)
{
	for (unsigned i = 0; i < d->io->depth && !d->again; i++)
		if (d->piece[i].where == K3_IO_READY ||
		    (d->piece[i].where == K3_IO_FREE && next_read(d) != NULL))
			return true;
	return false;
}

/* Time in which the process was stopped is nobody's silence: a bit more. */
static void
forgive(struct k3_io_device *d, double late)
{
	for (unsigned i = 0; i < d->io->depth; i++)
		d->piece[i].since += late;
}

/* Sleep until the bell rings, or the time has come. */
static void
doze(struct k3_io_device *d, double until)
{
	struct pollfd fd = { d->bell, POLLIN, 0 };
	double now = k3_clock(), ms;
	eventfd_t count;

	if (d->again && until > now + PAUSE)
		until = now + PAUSE;
	ms = until > now ? ceil((until - now) * 1e3) : 0;
	d->asleep = true;
	pthread_mutex_unlock(&d->io->lock);
	poll(&fd, 1, ms < INT_MAX ? (int)ms : -1);
	eventfd_read(d->bell, &count);
	pthread_mutex_lock(&d->io->lock);
	d->asleep = false;
	now = k3_clock();
	if (now > until + LATE)
		forgive(d, now - until + LATE);
}

static bool
is_idle(const struct k3_io_device *d)
{
	for (unsigned i = 0; i < d->io->depth; i++)
		if (d->piece[i].read != NULL)
			return false;
	return true;
}

void *
k3_io_run(void *arg)
{
	struct k3_io_device *d = arg;

	pthread_mutex_lock(&d->io->lock);
	for (;;) {
		double until;

		k3_io_reap(d);
		until = expire(d);
		send_all(d);
		if (can_send(d))
			continue;
		if (d->io->quit && is_idle(d))
			break;
		doze(d, until);
	}
	d->gone = true;
	pthread_cond_broadcast(&d->io->settled);
	pthread_mutex_unlock(&d->io->lock);
	return NULL;
}
