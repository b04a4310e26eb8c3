/*
 * io-engine.h - what carries pieces of reads to the kernel and back
 *
 * An engine is a table.  All of its functions but open() and close() are
 * called by the one I/O thread, and none of them waits for a device: when a
 * piece is back, the engine rings the bell, an eventfd on which that thread
 * sleeps, and hands it out in reap().  A piece belongs to the engine from
 * submit() to reap(), in any order.
 */
#ifndef K3_COMMON_IO_ENGINE_H
#define K3_COMMON_IO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct k3_io_op {
	int fd;
	uint8_t *buf;
	size_t len; /* at most 1 GiB */
	uint64_t off;
	int64_t res;           /* once it is back: bytes, or a negative errno */
	struct k3_io_op *next; /* the engine's, while it has the piece */
};

struct k3_io_engine {
	const char *name;
	bool buffered; /* takes files without O_DIRECT too */

	/* For 'depth' pieces at a time.  NULL and errno on failure. */
	void *(*open)(unsigned depth, int bell, void *arg);

	/*
	 * Take pieces: how many, maybe fewer than n or none.  A negative errno
	 * if the first one is refused: EAGAIN and EINTR for now, others for
	 * good.
	 */
	int (*submit)(void *engine, struct k3_io_op **op, unsigned n);

	/* Hand out at most n that are back, and return how many. */
	unsigned (*reap)(void *engine, struct k3_io_op **op, unsigned n);

	/* It has no pieces any more. */
	void (*close)(void *engine);
};

extern const struct k3_io_engine k3_io_aio, k3_io_pread;

void k3_io_ring(int bell);

#endif
