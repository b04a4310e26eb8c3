/*
 * par.c - work split among threads in contiguous ranges
 *
 * Each thread has a range of its own, so that it reads one long stretch of
 * weights, and takes it in pieces, so that a thread whose core is disturbed
 * can be helped.  With another program on one of two cores a token of the
 * slice takes 8 to 10 % less than with ranges taken whole, and a chunk of 64
 * tokens 11 %; undisturbed, the same.
 *
 * Plain threads and not OpenMP: its runtime's threads belong to the process
 * and spin between regions.  With another program on the same cores that made
 * a toy model's run 50 times as long (5.7 s against 0.1 s).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cores.h"
#include "common/par.h"

/*
 * Turns of a loop that a thread waits awake: for work some 20 microseconds,
 * since products follow each other closely and waking up takes as long; for
 * the last pieces of others, which are being worked on, ten times as long.
 */
#define SPIN     1000
#define SPIN_END 10000

/*
 * A piece is half of what is left of a range, and at least this part of the
 * whole: few calls, and little to wait for in the end.
 */
#define PIECES 32

/* Multiply-adds that take as long as waking a thread. */
#define RANGE_WORK ((size_t)1 << 16)

/*
 * A thread's range, taken from the front, by its owner and by whoever has
 * nothing left of their own.  On a cache line of its own.
 */
struct part {
	_Alignas(64) atomic_size_t next;
	size_t end;
};

struct job {
	k3_par_fn *fn;
	void *arg;
	size_t grain, least; /* the least to take, a multiple of grain */
};

struct worker {
	struct k3_pool *pool;
	pthread_t thread;
	unsigned number;
};

struct k3_pool {
	pthread_mutex_t lock;
	pthread_cond_t go, done;
	struct job job;
	struct part part[K3_MAX_THREADS];
	atomic_uint round; /* counts jobs; a new value starts the workers */
	atomic_uint busy;  /* workers that have not finished this job */
	bool quit;
	unsigned nworker;
	struct worker worker[K3_MAX_THREADS];
};

/* Take a piece from what is left of a range: its length, or 0. */
static size_t
take(struct part *part, const struct job *job, size_t *begin)
{
	size_t at = atomic_load_explicit(&part->next, memory_order_relaxed);
	size_t len;

	do {
		if (at >= part->end)
			return 0;
		len = (part->end - at) / 2 / job->grain * job->grain;
		len = len > job->least ? len : job->least;
		len = len < part->end - at ? len : part->end - at;
	} while (!atomic_compare_exchange_weak_explicit(&part->next, &at,
	    at + len, memory_order_relaxed, memory_order_relaxed));
	*begin = at;
	return len;
}

/* A thread's own range, and then what is left of the others'. */
static void
range(struct k3_pool *pool, unsigned thread)
{
	unsigned threads = pool->nworker + 1;
	const struct job *job = &pool->job;
	size_t begin, len;

	for (unsigned i = 0; i < threads; i++) {
		struct part *part = &pool->part[(thread + i) % threads];

		while ((len = take(part, job, &begin)) > 0)
			job->fn(job->arg, begin, begin + len, thread);
	}
}

static void
relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Wait until 'v' is no longer 'was', at first awake. */
static void
await(struct k3_pool *pool, atomic_uint *v, unsigned was, pthread_cond_t *cond)
{
	int spin = cond == &pool->done ? SPIN_END : SPIN;

	for (int i = 0; i < spin; i++) {
		if (atomic_load_explicit(v, memory_order_acquire) != was)
			return;
		relax();
	}
	pthread_mutex_lock(&pool->lock);
	while (atomic_load_explicit(v, memory_order_acquire) == was)
		pthread_cond_wait(cond, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct k3_pool *pool = w->pool;

	for (unsigned round = 0;; round++) {
		await(pool, &pool->round, round, &pool->go);
		if (pool->quit)
			return NULL;
		range(pool, w->number);
		if (atomic_fetch_sub_explicit(&pool->busy, 1,
			memory_order_acq_rel) > 1)
			continue;
		/* The lock orders this after a caller's last look. */
		pthread_mutex_lock(&pool->lock);
		pthread_cond_signal(&pool->done);
		pthread_mutex_unlock(&pool->lock);
	}
}

/* Everything that the workers read was written before. */
static void
start(struct k3_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
	pthread_cond_broadcast(&pool->go);
	pthread_mutex_unlock(&pool->lock);
}

/* Signals are for the thread that waits for them, the caller's. */
static int
start_thread(struct worker *w)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errno = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return errno;
}

int
k3_par_open(struct k3_par *par, unsigned threads, struct k3_err *err)
{
	struct k3_pool *pool = NULL;

	par->threads = threads;
	par->pool = NULL;
	if (threads == 1)
		return 0;
	pool = aligned_alloc(64, sizeof(*pool));
	if (pool == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'threads': out of memory");
	memset(pool, 0, sizeof(*pool));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->go, NULL);
	pthread_cond_init(&pool->done, NULL);
	par->pool = pool;
	for (unsigned i = 0; i + 1 < threads; i++) {
		struct worker *w = &pool->worker[i];

		w->pool = pool;
		w->number = i + 1;
		if (start_thread(w) != 0) {
			k3_fail_errno(err, EX_OSERR,
			    "cannot start thread %u of %u", i + 2, threads);
			k3_par_close(par);
			return -1;
		}
		pool->nworker++;
	}
	return 0;
}

void
k3_par_close(struct k3_par *par)
{
	struct k3_pool *pool = par->pool;

	if (pool == NULL)
		return;
	pool->quit = true;
	start(pool);
	for (unsigned i = 0; i < pool->nworker; i++)
		pthread_join(pool->worker[i].thread, NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->go);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	par->pool = NULL;
}

/* The caller works too, as thread 0, and then waits for the others. */
void
k3_par_run(const struct k3_par *par, size_t n, size_t grain, k3_par_fn *fn,
    void *arg)
{
	struct k3_pool *pool = par->pool;
	size_t part = (n + par->threads - 1) / par->threads;
	unsigned busy;

	if (n == 0)
		return;
	part = (part + grain - 1) / grain * grain;
	if (pool == NULL || part >= n) {
		fn(arg, 0, n, 0);
		return;
	}
	pool->job.fn = fn;
	pool->job.arg = arg;
	pool->job.grain = grain;
	pool->job.least = (part / PIECES / grain + 1) * grain;
	for (unsigned i = 0; i < par->threads; i++) {
		size_t begin = i * part < n ? i * part : n;

		atomic_store_explicit(&pool->part[i].next, begin,
		    memory_order_relaxed);
		pool->part[i].end = n - begin < part ? n : begin + part;
	}
	atomic_store_explicit(&pool->busy, pool->nworker, memory_order_relaxed);
	start(pool);
	range(pool, 0);
	while ((busy = atomic_load_explicit(&pool->busy,
		    memory_order_acquire)) != 0)
		await(pool, &pool->busy, busy, &pool->done);
}

size_t
k3_par_grain(size_t work)
{
	return work >= RANGE_WORK || work == 0 ? 1 : RANGE_WORK / work;
}

unsigned
k3_par_default(void)
{
	unsigned n = k3_cores_usable();

	return n < K3_MAX_THREADS ? n : K3_MAX_THREADS;
}
