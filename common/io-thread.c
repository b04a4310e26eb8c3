/*
 * io-thread.c - the I/O thread: sends pieces, takes them back, and sleeps
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
k3_io_reap(struct k3_io *io)
{
	reap(io, io->engine, io->state);
	if (io->second_state != NULL)
		reap(io, io->second, io->second_state);
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
hand(struct k3_io *io, const struct k3_io_engine *engine, void *state,
    struct k3_io_op **op, unsigned n)
{
	int taken = 0;

	while (n > 0) {
		io->submitting = k3_clock();
		pthread_mutex_unlock(&io->lock);
		taken = engine->submit(state, op, n);
		pthread_mutex_lock(&io->lock);
		io->submitting = 0;
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
	io->again |= n > 0;
	for (unsigned i = 0; i < n; i++)
		k3_io_keep(io, (struct k3_io_piece *)op[i]);
}

static struct k3_io_read *
next_read(const struct k3_io *io)
{
	if (io->queue[1].first != NULL)
		return io->queue[1].first;
	return io->queue[0].first;
}

/* Those to be sent again, then new ones as far as there is room. */
static void
fill(struct k3_io *io)
{
	struct k3_io_read *read;

	for (unsigned i = 0; i < io->depth; i++)
		if (io->piece[i].where == K3_IO_FREE &&
		    (read = next_read(io)) != NULL)
			k3_io_cut(io, read, &io->piece[i]);
}

static void
send_all(struct k3_io *io)
{
	struct k3_io_op *op[2][K3_IO_MAX_DEPTH];
	unsigned n[2] = { 0, 0 };

	io->again = false;
	fill(io);
	for (unsigned i = 0; i < io->depth; i++) {
		struct k3_io_piece *piece = &io->piece[i];
		bool second = !piece->direct && !io->engine->buffered;

		if (piece->where != K3_IO_READY)
			continue;
		piece->where = K3_IO_SENDING;
		op[second][n[second]++] = &piece->op;
	}
	hand(io, io->engine, io->state, op[0], n[0]);
	if (n[1] > 0)
		hand(io, io->second, io->second_state, op[1], n[1]);
}

/* When every piece is lost nothing can answer those that wait, either. */
static void
give_up(struct k3_io *io)
{
	struct k3_io_read *read;

	for (unsigned i = 0; i < io->depth; i++)
		if (io->piece[i].where == K3_IO_FREE ||
		    io->piece[i].read != NULL)
			return;
	while ((read = next_read(io)) != NULL)
		k3_io_fail(io, read, ETIMEDOUT, read->cut);
}

/* Pieces that have been silent for too long.  The time of the next one. */
static double
expire(struct k3_io *io)
{
	double now = k3_clock(), next = INFINITY;

	for (unsigned i = 0; i < io->depth; i++) {
		struct k3_io_piece *piece = &io->piece[i];
		double end = piece->since + io->timeout;

		if (piece->read == NULL)
			continue;
		if (end > now)
			next = end < next ? end : next;
		else if (piece->where == K3_IO_READY)
			k3_io_fail(io, piece->read, EAGAIN, piece->pos);
		else
			k3_io_lose(io, piece);
	}
	give_up(io);
	return next;
}

/* Is there something to do without waiting? */
static bool
can_send(const struct k3_io *io)
{
	for (unsigned i = 0; i < io->depth && !io->again; i++)
		if (io->piece[i].where == K3_IO_READY ||
		    (io->piece[i].where == K3_IO_FREE && next_read(io) != NULL))
			return true;
	return false;
}

/* Time in which the process was stopped is nobody's silence: a bit more. */
static void
forgive(struct k3_io *io, double late)
{
	for (unsigned i = 0; i < io->depth; i++)
		io->piece[i].since += late;
}

/* Sleep until the bell rings, or the time has come. */
static void
doze(struct k3_io *io, double until)
{
	struct pollfd fd = { io->bell, POLLIN, 0 };
	double now = k3_clock(), ms;
	eventfd_t count;

	if (io->again && until > now + PAUSE)
		until = now + PAUSE;
	ms = until > now ? ceil((until - now) * 1e3) : 0;
	io->asleep = true;
	pthread_mutex_unlock(&io->lock);
	poll(&fd, 1, ms < INT_MAX ? (int)ms : -1);
	eventfd_read(io->bell, &count);
	pthread_mutex_lock(&io->lock);
	io->asleep = false;
	now = k3_clock();
	if (now > until + LATE)
		forgive(io, now - until + LATE);
}

static bool
is_idle(const struct k3_io *io)
{
	for (unsigned i = 0; i < io->depth; i++)
		if (io->piece[i].read != NULL)
			return false;
	return true;
}

void *
k3_io_run(void *arg)
{
	struct k3_io *io = arg;

	pthread_mutex_lock(&io->lock);
	io->counted = k3_clock();
	for (;;) {
		double until;

		k3_io_reap(io);
		until = expire(io);
		send_all(io);
		if (can_send(io))
			continue;
		if (io->quit && is_idle(io))
			break;
		doze(io, until);
	}
	io->gone = true;
	pthread_cond_broadcast(&io->settled);
	pthread_mutex_unlock(&io->lock);
	return NULL;
}
