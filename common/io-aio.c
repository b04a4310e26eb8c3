/*
 * io-aio.c - the engine of Linux's own asynchronous reads
 *
 * Only for files with O_DIRECT: with others io_submit() reads at once, and
 * waits for it.  The kernel rings the bell itself.
 */
#include <errno.h>
#include <libaio.h>
#include <stdlib.h>
#include <time.h>

#include "common/io-engine.h"

/* Handed to the kernel, or taken from it, in one call. */
#define BATCH 32

struct aio {
	io_context_t context;
	int bell;
};

static void *
aio_open(unsigned depth, int bell, void *arg)
{
	struct aio *e = calloc(1, sizeof(*e));
	int ret;

	(void)arg;
	if (e == NULL)
		return NULL;
	e->bell = bell;
	ret = io_setup((int)depth, &e->context);
	if (ret == 0)
		return e;
	free(e);
	errno = -ret;
	return NULL;
}

/* The kernel copies what it needs of an iocb before io_submit() returns. */
static int
aio_submit(void *engine, struct k3_io_op **op, unsigned n)
{
	struct aio *e = engine;
	struct iocb iocb[BATCH], *list[BATCH];

	if (n > BATCH)
		n = BATCH;
	for (unsigned i = 0; i < n; i++) {
		io_prep_pread(&iocb[i], op[i]->fd, op[i]->buf, op[i]->len,
		    (long long)op[i]->off);
		io_set_eventfd(&iocb[i], e->bell);
		iocb[i].data = op[i];
		list[i] = &iocb[i];
	}
	return io_submit(e->context, (long)n, list);
}

static unsigned
aio_reap(void *engine, struct k3_io_op **op, unsigned n)
{
	struct aio *e = engine;
	struct io_event event[BATCH];
	struct timespec now = { 0, 0 };
	int got;

	if (n > BATCH)
		n = BATCH;
	do
		got = io_getevents(e->context, 0, (long)n, event, &now);
	while (got == -EINTR);
	for (int i = 0; i < got; i++) {
		op[i] = event[i].data;
		op[i]->res = (long)event[i].res;
	}
	return got > 0 ? (unsigned)got : 0;
}

static void
aio_close(void *engine)
{
	struct aio *e = engine;

	io_destroy(e->context);
	free(e);
}

const struct k3_io_engine k3_io_aio = {
	.name = "aio",
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.close = aio_close,
};
