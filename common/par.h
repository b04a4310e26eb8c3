/*
 * par.h - work split among threads in contiguous ranges
 *
 * The only place that knows threads.  Every element is computed by one thread,
 * whole, so how many there are changes no result.  The threads belong to the
 * struct k3_par, not to the process; they sleep when there is nothing to do.
 */
#ifndef K3_COMMON_PAR_H
#define K3_COMMON_PAR_H

#include <stddef.h>

#include "common/err.h"

#define K3_MAX_THREADS 256

struct k3_par {
	unsigned threads;     /* 1 to K3_MAX_THREADS, the caller's included */
	struct k3_pool *pool; /* NULL for one */
};

/* Start threads.  0, or -1 with EX_OSERR and nothing to close. */
int k3_par_open(struct k3_par *par, unsigned threads, struct k3_err *err);

/* End them.  Also for a struct that is all zero. */
void k3_par_close(struct k3_par *par);

/* Called with [begin, end) and the thread's number, below par->threads. */
typedef void k3_par_fn(void *arg, size_t begin, size_t end, unsigned thread);

/*
 * Split 0..n-1 into ranges, each but the last a multiple of 'grain', and run
 * 'fn' on them, at the same time on up to par->threads threads; a thread gets
 * any number of them.  Returns when all are done.  One call at a time for each
 * struct k3_par.
 */
void k3_par_run(const struct k3_par *par, size_t n, size_t grain, k3_par_fn *fn,
    void *arg);

/*
 * A grain for items of so many multiply-adds each: enough of them that handing
 * a range to another thread, some 5 to 10 microseconds, pays.
 */
size_t k3_par_grain(size_t work);

/* Threads that pay: cores that this process may use (cores.h). */
unsigned k3_par_default(void);

#endif
