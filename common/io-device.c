/*
 * io-device.c - what a file lies on: places for pieces, a thread, an engine
 *
 * Each has 'depth' pieces in flight of its own, so that reads of several go on
 * side by side, and one that is slow or stuck takes no place from the others.
 * Everything here wants the lock.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/io-impl.h"

/* Or, unless the caller insists on another one, threads. */
static int
open_engine(struct k3_io *io, struct k3_io_device *d)
{
	d->engine = io->engine != NULL ? io->engine : &k3_io_aio;
	d->state = d->engine->open(io->depth, d->bell, io->arg);
	if (d->state != NULL)
		return 0;
	if (d->engine != &k3_io_aio || errno == ENOMEM)
		return -1;
	io->no_aio = errno;
	d->engine = &k3_io_pread;
	d->state = d->engine->open(io->depth, d->bell, NULL);
	return d->state != NULL ? 0 : -1;
}

struct k3_io_device *
k3_io_device_open(struct k3_io *io)
{
	struct k3_io_device *d = calloc(1, sizeof(*d)), **end = &io->device;
	int error = 0;

	if (d == NULL)
		return NULL;
	d->io = io;
	d->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->piece = calloc(io->depth, sizeof(*d->piece));
	if (d->bell < 0 || d->piece == NULL || open_engine(io, d) != 0)
		goto fail;
	error = k3_io_spawn(&d->thread, k3_io_run, d);
	if (error != 0)
		goto fail;
	while (*end != NULL)
		end = &(*end)->next;
	return *end = d;
fail:
	error = error != 0 ? error : errno;
	k3_io_device_free(d);
	errno = error;
	return NULL;
}

/* The first was opened before there was a file. */
struct k3_io_device *
k3_io_device(struct k3_io *io, dev_t number)
{
	struct k3_io_device *d = io->device;

	while (d != NULL && d->taken && d->number != number)
		d = d->next;
	if (d == NULL)
		d = k3_io_device_open(io);
	if (d != NULL) {
		d->taken = true;
		d->number = number;
	}
	return d;
}

void
k3_io_device_free(struct k3_io_device *d)
{
	if (d->state != NULL)
		d->engine->close(d->state);
	if (d->second_state != NULL)
		k3_io_pread.close(d->second_state);
	if (d->bell >= 0)
		close(d->bell);
	free(d->piece);
	free(d);
}
