/*
 * io-impl.h - what reads in flight are made of: for io*.c only
 *
 * One lock covers everything but what says otherwise.  Callers queue reads and
 * wait; a device's I/O thread cuts and hands pieces to an engine, without the
 * lock, since submitting may block when the device is stuck.  So a read may
 * fail under the thread's hands: a piece then has no read any more, and it is
 * lost until the engine gives it back.
 */
#ifndef K3_COMMON_IO_IMPL_H
#define K3_COMMON_IO_IMPL_H

#include <pthread.h>
#include <sys/types.h>

#include "common/io.h"

enum k3_io_state {
	K3_IO_IDLE,
	K3_IO_QUEUED, /* in a queue, or some pieces are not back */
	K3_IO_DONE,
	K3_IO_FAILED, /* and all pieces are back, or lost */
};

struct k3_io_file {
	struct k3_io_file *next;
	struct k3_io_device *device;
	char *path;
	int fd;
	bool direct;
	int refused; /* errno that O_DIRECT met; 0: none */
	uint8_t *probe;
	struct k3_io_read read; /* of the probe */
};

enum k3_io_where {
	K3_IO_FREE,
	K3_IO_READY,   /* to be handed to an engine, perhaps again */
	K3_IO_SENDING, /* in the hands of the I/O thread */
	K3_IO_OUT,     /* the engine has it */
};

struct k3_io_piece {
	struct k3_io_op op;
	enum k3_io_where where;
	struct k3_io_read *read; /* NULL: lost, if it is not free */
	struct k3_io_file *file;
	uint64_t pos, end; /* offsets: read up to here; of the piece */
	bool direct;       /* sent so */
	double since;      /* the last sign of life */
	unsigned tries;    /* in vain since then */
};

struct k3_io_queue {
	struct k3_io_read *first, *last;
};

/* Its queue, its thread, and an engine's state for it alone. */
struct k3_io_device {
	struct k3_io_device *next;
	struct k3_io *io;
	dev_t number; /* as st_dev; the first one's when it has a file */
	bool taken;   /* by a file */
	const struct k3_io_engine *engine;
	void *state, *second_state; /* second: pread, for buffered files */
	int bell;
	pthread_t thread;
	bool asleep, gone, joined;
	double submitting;           /* since when; 0: it is not */
	bool again;                  /* the kernel wants a pause before more */
	struct k3_io_queue queue[2]; /* [urgent] */
	struct k3_io_piece *piece;   /* [depth] */
};

struct k3_io {
	const struct k3_io_engine *engine; /* NULL: the best */
	void *arg;
	unsigned depth;
	uint64_t piece_bytes;
	double timeout;

	pthread_mutex_t lock;
	pthread_cond_t settled; /* some read has; or a thread has ended */
	bool quit;
	unsigned out; /* pieces with an engine, and not lost */
	struct k3_io_device *device;
	struct k3_io_file *file;
	int no_aio; /* errno; 0: it is there or was not asked for */
	struct k3_io_stats stats;
	double load, counted; /* piece-seconds; time of the last change */
};

/* Start a thread that gets no signals.  0 or an errno. */
int k3_io_spawn(pthread_t *thread, void *(*fn)(void *), void *arg);

/* A device's I/O thread. */
void *k3_io_run(void *arg);

/* The rest wants the lock. */

/* io-device.c: one more.  NULL and errno on failure. */
struct k3_io_device *k3_io_device_open(struct k3_io *io);

/* The one of that number; opened if need be. */
struct k3_io_device *k3_io_device(struct k3_io *io, dev_t number);

/* Its thread has ended or was never started, and the engine has no pieces. */
void k3_io_device_free(struct k3_io_device *device);

/* io-queue.c: reads. */
void k3_io_wake(struct k3_io_device *device);
void k3_io_enqueue(struct k3_io_read *read, bool urgent);
void k3_io_dequeue(struct k3_io_read *read);
void k3_io_fail(struct k3_io *io, struct k3_io_read *read, int error,
    uint64_t at);
void k3_io_settle(struct k3_io *io, struct k3_io_read *read);

/* Bring the times of the statistics up to now; before 'out' changes. */
void k3_io_count(struct k3_io *io);

/* io-piece.c: cut the next one of a queued read; it is ready then. */
void k3_io_cut(struct k3_io *io, struct k3_io_read *read,
    struct k3_io_piece *piece);

/* The engine gave it back. */
void k3_io_back(struct k3_io *io, struct k3_io_piece *piece);

/* The engine did not take it. */
void k3_io_keep(struct k3_io *io, struct k3_io_piece *piece);

/* No further use for it; it is not with an engine. */
void k3_io_free(struct k3_io_piece *piece);

/* Its read fails without it. */
void k3_io_lose(struct k3_io *io, struct k3_io_piece *piece);

/* Take back all that the engines have done. */
void k3_io_reap(struct k3_io_device *device);

/* Read the file through the page cache from now on. */
bool k3_io_buffer(struct k3_io_file *file, int why);

#endif
