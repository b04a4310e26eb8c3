/*
 * faulty.h - the engine that fails in all the ways that disks do
 *
 * Pass &faulty and a struct faults at k3_io_open().  Pieces are counted from
 * 0, those of k3_io_file() too, which reads one of each file; what happens to
 * them depends on the seed and their number only, if the engine is the only
 * one and the depth is 1.  All fields that are 0 do nothing.
 *
 * It reads at once, in submit(), and gives back later.
 */
#ifndef K3_TESTS_FAULTY_H
#define K3_TESTS_FAULTY_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/io.h"

#define FAULTY_NEVER UINT64_MAX

struct faults {
	uint64_t seed;
	uint64_t from; /* no chance hits pieces before this one */

	/* In 256 of those from there on. */
	unsigned cut;     /* short; of direct reads whole 512 bytes are left */
	unsigned again;   /* fails with EAGAIN, or EINTR, for once */
	unsigned flip;    /* one byte is another */
	unsigned refuse;  /* submit() takes none, or says EAGAIN or EINTR */
	unsigned shuffle; /* stays behind others, or until asked again */
	unsigned slow_us; /* all: the time that each takes, on its own */

	/* Pieces by number, where 'some' is true. */
	bool some;
	uint64_t fail, hang, gone; /* EIO; no answer; ENODEV from there on */
	int error;                 /* instead of EIO */
	uint64_t burn, turn; /* 1 + number: all bytes are 0xff; one is other */
	const char *suffix;  /* of the files that 'turn' is for; NULL: all */

	bool no_direct; /* refuses O_DIRECT when it comes to reading */
	bool release;   /* what hangs is given back, if asked */
	int gate;       /* a pipe: the first piece waits for a byte of it */

	uint64_t n;   /* pieces so far */
	uint64_t *at; /* [nat]: their offsets */
	size_t nat;
};

struct faulty {
	struct faults *f;
	int bell;
	uint64_t x;
	unsigned ndone, nhang;
	struct k3_io_op *done[K3_IO_MAX_DEPTH], *hang[K3_IO_MAX_DEPTH];
};

static inline uint64_t
faulty_random(struct faulty *e)
{
	e->x ^= e->x << 13;
	e->x ^= e->x >> 7;
	e->x ^= e->x << 17;
	return e->x * 0x2545f4914f6cdd1du >> 8;
}

static inline bool
faulty_chance(struct faulty *e, unsigned in256)
{
	return e->f->n >= e->f->from && faulty_random(e) % 256 < in256;
}

static inline void *
faulty_open(unsigned depth, int bell, void *arg)
{
	struct faulty *e = calloc(1, sizeof(*e));

	(void)depth;
	if (e == NULL)
		return NULL;
	e->f = arg;
	e->bell = bell;
	e->x = e->f->seed * 2 + 1;
	return e;
}

/* Some of it, at least as much as a device would. */
static inline size_t
faulty_cut(struct faulty *e, const struct k3_io_op *op, bool direct)
{
	size_t len = 1 + (size_t)(faulty_random(e) % op->len);

	if (direct && len > 512)
		len -= len % 512;
	return direct && len < 512 ? op->len : len;
}

/* Does the name of an open file end so? */
static inline bool
faulty_named(int fd, const char *suffix)
{
	char link[64], path[4096];
	size_t len = suffix != NULL ? strlen(suffix) : 0;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = len > 0 ? readlink(link, path, sizeof(path)) : 0;
	return n >= (ssize_t)len &&
	       (len == 0 || memcmp(path + n - len, suffix, len) == 0);
}

static inline void
faulty_spoil(struct faulty *e, const struct k3_io_op *op, size_t n)
{
	const struct faults *f = e->f;

	if (faulty_chance(e, f->flip))
		op->buf[faulty_random(e) % n] ^= 0x10;
	if (f->burn == f->n + 1)
		memset(op->buf, 0xff, n);
	if (f->turn == f->n + 1 && faulty_named(op->fd, f->suffix))
		op->buf[faulty_random(e) % n] ^= 0x10;
}

static inline int64_t
faulty_read(struct faulty *e, struct k3_io_op *op)
{
	bool direct = (fcntl(op->fd, F_GETFL) & O_DIRECT) != 0;
	size_t len = op->len;
	ssize_t n;

	if (direct && e->f->no_direct)
		return -EINVAL;
	if (e->f->some && e->f->n >= e->f->gone)
		return -ENODEV;
	if (e->f->some && e->f->n == e->f->fail)
		return e->f->error > 0 ? -e->f->error : -EIO;
	if (faulty_chance(e, e->f->again))
		return faulty_random(e) % 2 ? -EAGAIN : -EINTR;
	/* All is read even so: direct reads have no odd lengths. */
	n = pread(op->fd, op->buf, len, (off_t)op->off);
	if (n > 0 && faulty_chance(e, e->f->cut))
		len = faulty_cut(e, op, direct);
	if (n > 0)
		faulty_spoil(e, op, (size_t)n);
	if (n < 0)
		return -errno;
	return (size_t)n < len ? n : (int64_t)len;
}

static inline void
faulty_take(struct faulty *e, struct k3_io_op *op)
{
	struct faults *f = e->f;
	char byte;

	if (f->gate > 0 && f->n == f->from && read(f->gate, &byte, 1) < 0)
		abort();
	if (f->slow_us > 0)
		usleep(f->slow_us);
	if (f->n < f->nat)
		f->at[f->n] = op->off;
	if (f->some && f->n == f->hang) {
		e->hang[e->nhang++] = op;
	} else {
		op->res = faulty_read(e, op);
		e->done[e->ndone++] = op;
	}
	f->n++;
}

static inline int
faulty_submit(void *engine, struct k3_io_op **op, unsigned n)
{
	struct faulty *e = engine;
	unsigned most = n;

	if (faulty_chance(e, e->f->refuse)) {
		most = (unsigned)(faulty_random(e) % (n + 2));
		if (most >= n)
			return most == n ? -EAGAIN : -EINTR;
	}
	for (unsigned i = 0; i < most; i++)
		faulty_take(e, op[i]);
	k3_io_ring(e->bell);
	return (int)most;
}

static inline unsigned
faulty_reap(void *engine, struct k3_io_op **op, unsigned n)
{
	struct faulty *e = engine;
	unsigned i = 0;

	while (i < n && e->ndone > 0) {
		unsigned k = 0;

		if (e->f->shuffle > 0)
			k = (unsigned)(faulty_random(e) % e->ndone);
		op[i++] = e->done[k];
		e->done[k] = e->done[--e->ndone];
		if (faulty_chance(e, e->f->shuffle))
			break;
	}
	for (; i < n && e->f->release && e->nhang > 0; i++) {
		op[i] = e->hang[--e->nhang];
		op[i]->res = faulty_read(e, op[i]);
	}
	if (e->ndone > 0)
		k3_io_ring(e->bell);
	return i;
}

static inline void
faulty_close(void *engine)
{
	free(engine);
}

static const struct k3_io_engine faulty = {
	.name = "faulty",
	.buffered = true,
	.open = faulty_open,
	.submit = faulty_submit,
	.reap = faulty_reap,
	.close = faulty_close,
};

#endif
