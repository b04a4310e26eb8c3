/*
 * io-pread.c - the engine of threads that each read one piece at a time
 *
 * It needs nothing of the kernel but pread(), and takes any file.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/io-impl.h"

struct pread {
	pthread_mutex_t lock;
	pthread_cond_t go;
	struct k3_io_op *first, *last; /* to do */
	struct k3_io_op *done;
	int bell;
	bool quit;
	unsigned nthread;
	pthread_t thread[K3_IO_MAX_DEPTH];
};

int
k3_io_spawn(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

/* The next piece, or NULL at the end; wants the lock. */
static struct k3_io_op *
take(struct pread *e)
{
	struct k3_io_op *op;

	while (e->first == NULL && !e->quit)
		pthread_cond_wait(&e->go, &e->lock);
	op = e->first;
	if (op != NULL)
		e->first = op->next;
	return op;
}

static void *
work(void *arg)
{
	struct pread *e = arg;
	struct k3_io_op *op;

	pthread_mutex_lock(&e->lock);
	while ((op = take(e)) != NULL) {
		ssize_t n;

		pthread_mutex_unlock(&e->lock);
		n = pread(op->fd, op->buf, op->len, (off_t)op->off);
		op->res = n < 0 ? -errno : n;
		pthread_mutex_lock(&e->lock);
		op->next = e->done;
		e->done = op;
		k3_io_ring(e->bell);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

static void
pread_close(void *engine)
{
	struct pread *e = engine;

	pthread_mutex_lock(&e->lock);
	e->quit = true;
	pthread_cond_broadcast(&e->go);
	pthread_mutex_unlock(&e->lock);
	for (unsigned i = 0; i < e->nthread; i++)
		pthread_join(e->thread[i], NULL);
	pthread_cond_destroy(&e->go);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

/* Fewer threads than asked for will do. */
static void *
pread_open(unsigned depth, int bell, void *arg)
{
	struct pread *e = calloc(1, sizeof(*e));
	int error = 0;

	(void)arg;
	if (e == NULL)
		return NULL;
	e->bell = bell;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->go, NULL);
	while (e->nthread < depth && error == 0) {
		error = k3_io_spawn(&e->thread[e->nthread], work, e);
		e->nthread += error == 0;
	}
	if (e->nthread > 0)
		return e;
	pread_close(e);
	errno = error;
	return NULL;
}

static int
pread_submit(void *engine, struct k3_io_op **op, unsigned n)
{
	struct pread *e = engine;

	pthread_mutex_lock(&e->lock);
	for (unsigned i = 0; i < n; i++) {
		op[i]->next = NULL;
		if (e->first == NULL)
			e->first = op[i];
		else
			e->last->next = op[i];
		e->last = op[i];
		pthread_cond_signal(&e->go);
	}
	pthread_mutex_unlock(&e->lock);
	return (int)n;
}

static unsigned
pread_reap(void *engine, struct k3_io_op **op, unsigned n)
{
	struct pread *e = engine;
	unsigned i = 0;

	pthread_mutex_lock(&e->lock);
	for (; i < n && e->done != NULL; i++) {
		op[i] = e->done;
		e->done = op[i]->next;
	}
	pthread_mutex_unlock(&e->lock);
	return i;
}

const struct k3_io_engine k3_io_pread = {
	.name = "pread",
	.buffered = true,
	.open = pread_open,
	.submit = pread_submit,
	.reap = pread_reap,
	.close = pread_close,
};
