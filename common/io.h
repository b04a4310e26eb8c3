/*
 * io.h - reads in flight
 *
 * A read asks for a range of a file at a place in memory.  A thread for each
 * device that files lie on keeps it busy: it cuts reads into pieces, keeps
 * 'depth' of them in flight, sends the rest of short ones again, and wakes who
 * waits.  Urgent reads go before those that only read ahead; each kind goes in
 * the order of k3_io_start().  Devices go on side by side, and a slow one takes
 * no place from the others.
 *
 * Reads past the page cache (O_DIRECT) need K3_IO_ALIGN in offset, length and
 * memory: a read covers whole units around what is wanted, so its place begins
 * at the same offset within a unit as the range does in the file, and the rest
 * of the first and of the last unit is overwritten too.  k3_io_room() is what
 * such a place takes.  Places of reads in flight must not share a unit.  On
 * 2 MB pages, as k3_mem_alloc() gives them, reads can be twice as fast: 2.7
 * GB/s against 1.2 on 4 KB pages, which make many more segments of each.
 *
 * A file that cannot be read so is read through the page cache by threads, and
 * where the machine has no aio, all are read by threads: k3_io_note() says so.
 *
 * A read that stays without an answer for 'timeout' seconds fails, and so does
 * whatever would wait behind it when nothing is left that could answer.  The
 * kernel then still owns its place (read->lost) and may write there whenever
 * the device comes back: that memory is neither used nor given back before
 * k3_io_close() has returned 0.  (The end of the process may wait for it too:
 * that is the kernel's.)
 *
 * All functions may be called from any thread, but k3_io_close() from the last
 * one that uses it.
 */
#ifndef K3_COMMON_IO_H
#define K3_COMMON_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/io-engine.h"

/* A unit: what each device's and file system's O_DIRECT is content with. */
#define K3_IO_ALIGN 4096

/*
 * What is chosen where nothing is asked for, from GB/s of direct reads by aio
 * on a virtual disk that gives 2.9 (make bench BENCH=disk):
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
#define K3_IO_DEPTH 8
#define K3_IO_PIECE ((size_t)2 << 20)

#define K3_IO_MAX_DEPTH 128
#define K3_IO_MAX_PIECE ((size_t)1 << 30)

struct k3_io;      /* opaque */
struct k3_io_file; /* opaque */

/* What is 0 or NULL is chosen here. */
struct k3_io_ask {
	const struct k3_io_engine *engine; /* aio, or else pread */
	void *arg;                         /* for the engine's open() */
	unsigned depth;                    /* pieces in flight, of a device */
	size_t piece;                      /* bytes; rounded up to a unit */
	double timeout;                    /* seconds */
};

/* Caller-owned, and not touched by him between k3_io_start() and its end. */
struct k3_io_read {
	struct k3_io_file *file;
	uint64_t off, len;
	uint8_t *dst;     /* at 'off' modulo K3_IO_ALIGN in memory too */
	const char *what; /* for messages: "layer 3 expert 7"; lives as long */
	bool lost;        /* failed, and the kernel has not given dst back */

	/* The rest is for io*.c. */
	struct k3_io_read *prev, *next; /* in the queue */
	uint64_t cut, end;              /* offsets: pieces so far, and of all */
	unsigned npiece;                /* on their way */
	uint8_t state;
	bool urgent, failed;
	int error;   /* errno; 0: the file ends */
	uint64_t at; /* where it failed */
};

struct k3_io_stats {
	uint64_t reads, pieces, bytes; /* that arrived; bytes of whole units */
	uint64_t resent; /* pieces, after a short read, EINTR or EAGAIN */
	double busy;     /* seconds with a piece in flight */
	double depth;    /* pieces in flight, on average over those */
};

/* Start the thread.  NULL with EX_OSERR if the system refuses. */
struct k3_io *k3_io_open(const struct k3_io_ask *ask, struct k3_err *err);

/*
 * Drop what is queued, wait for what is in flight, end the thread, close the
 * files, free.  NULL is fine.  Returns 0; or -1 if the kernel has not given
 * all places back, after 'timeout' seconds at most: then nothing is freed, and
 * it may be called again later.
 */
int k3_io_close(struct k3_io *io);

/*
 * A file to read from; it lives until k3_io_close().  'fd' is an open file of
 * that name, which is not used after the return, or -1.  Reads one unit to see
 * whether the page cache can be passed.  NULL with EX_NOINPUT ("cannot open")
 * or EX_IOERR.
 */
struct k3_io_file *k3_io_file(struct k3_io *io, const char *path, int fd,
    struct k3_err *err);

/* Is it read past the page cache? */
bool k3_io_direct(struct k3_io *io, const struct k3_io_file *file);

/*
 * What the user should hear once: a line such as "cannot pass the page cache
 * for 'FILE' and 3 others: Invalid argument".  False if there is nothing.
 */
bool k3_io_note(struct k3_io *io, char *text, size_t size);

/* Bytes that a place takes, from a multiple of K3_IO_ALIGN in memory on. */
uint64_t k3_io_room(uint64_t off, uint64_t len);

/* And where in it the data begins: the read's dst. */
size_t k3_io_skew(uint64_t off);

/*
 * Queue a read, whose first five fields are filled in.  Does not wait and does
 * not fail: what is wrong is said by k3_io_wait().  A read may be used again
 * once it is done and not lost.
 */
void k3_io_start(struct k3_io *io, struct k3_io_read *read, bool urgent);

/* Compute wants it now: behind the other urgent ones.  Done ones don't care. */
void k3_io_urge(struct k3_io *io, struct k3_io_read *read);

/* Has it ended, well or not?  Then k3_io_wait() does not wait. */
bool k3_io_done(struct k3_io *io, const struct k3_io_read *read);

/*
 * Wait until it is whole: 0.  Or -1: EX_IOERR ("cannot read 'FILE' offset N
 * (WHAT): WHY"), or EX_DATAERR where the file ends early.  Says the same again
 * if called again.
 */
int k3_io_wait(struct k3_io *io, struct k3_io_read *read, struct k3_err *err);

void k3_io_stats(struct k3_io *io, struct k3_io_stats *stats);

/* The engine of that name; NULL with EX_USAGE. */
const struct k3_io_engine *k3_io_engine(const char *name, struct k3_err *err);

/* The engine in use: "aio". */
const char *k3_io_name(const struct k3_io *io);

#endif
