/*
 * io-queue.c - reads that wait for an I/O thread, and how they end
 *
 * Everything here wants the lock.  A read is in a queue as long as some of it
 * has not been cut into pieces.
 */
#include <errno.h>

#include "common/clock.h"
#include "common/io-impl.h"

void
k3_io_wake(struct k3_io_device *device)
{
	if (device->asleep)
		k3_io_ring(device->bell);
	device->asleep = false;
}

void
k3_io_enqueue(struct k3_io_read *read, bool urgent)
{
	struct k3_io_queue *queue = &read->file->device->queue[urgent];

	read->urgent = urgent;
	read->next = NULL;
	read->prev = queue->last;
	if (queue->last != NULL)
		queue->last->next = read;
	else
		queue->first = read;
	queue->last = read;
}

void
k3_io_dequeue(struct k3_io_read *read)
{
	struct k3_io_queue *queue = &read->file->device->queue[read->urgent];

	if (read->prev != NULL)
		read->prev->next = read->next;
	else
		queue->first = read->next;
	if (read->next != NULL)
		read->next->prev = read->prev;
	else
		queue->last = read->prev;
}

void
k3_io_count(struct k3_io *io)
{
	double now = k3_clock(), passed = now - io->counted;

	if (io->out > 0)
		io->stats.busy += passed;
	io->load += io->out * passed;
	io->counted = now;
}

void
k3_io_settle(struct k3_io *io, struct k3_io_read *read)
{
	if (read->npiece > 0 || read->cut < read->end)
		return;
	io->stats.reads += !read->failed;
	read->state = read->failed ? K3_IO_FAILED : K3_IO_DONE;
	pthread_cond_broadcast(&io->settled);
}

/*
 * Of several pieces that fail the first in the file is told.  No further ones
 * are cut, but those with the engine come back first.
 */
void
k3_io_fail(struct k3_io *io, struct k3_io_read *read, int error, uint64_t at)
{
	if (at < read->off)
		at = read->off;
	if (!read->failed || at < read->at) {
		read->error = error;
		read->at = at;
	}
	read->failed = true;
	if (read->cut < read->end)
		k3_io_dequeue(read);
	read->cut = read->end;
	for (unsigned i = 0; i < io->depth; i++) {
		struct k3_io_piece *piece = &read->file->device->piece[i];

		if (piece->read == read && piece->where == K3_IO_READY)
			k3_io_free(piece);
	}
	k3_io_settle(io, read);
}
