/*
 * par.h - work split among threads in contiguous ranges
 *
 * The only place that knows OpenMP.  Every element is computed by one thread,
 * whole, so how many there are changes no result.
 */
#ifndef K3_COMMON_PAR_H
#define K3_COMMON_PAR_H

#include <stddef.h>

#define K3_MAX_THREADS 256

struct k3_par {
	unsigned threads; /* 1 to K3_MAX_THREADS */
};

/* Called with [begin, end) and the thread's number, below par->threads. */
typedef void k3_par_fn(void *arg, size_t begin, size_t end, unsigned thread);

/*
 * Split 0..n-1 into at most par->threads ranges of nearly equal length, each
 * but the last a multiple of 'grain', and run 'fn' on them at the same time.
 */
void k3_par_run(const struct k3_par *par, size_t n, size_t grain, k3_par_fn *fn,
    void *arg);

/* Threads that this process may run at the same time. */
unsigned k3_par_default(void);

#endif
