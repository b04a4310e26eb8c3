/*
 * par.c - work split among threads in contiguous ranges
 */
#include <omp.h>

#include "common/par.h"

void
k3_par_run(const struct k3_par *par, size_t n, size_t grain, k3_par_fn *fn,
    void *arg)
{
	size_t want = par->threads;
	size_t part = (n + want - 1) / want;

	part = (part + grain - 1) / grain * grain;
	if (n == 0)
		return;
	if (want == 1 || part >= n) {
		fn(arg, 0, n, 0);
		return;
	}
	/* The runtime may give fewer threads: the loop still covers all. */
#pragma omp parallel for num_threads((int)want) schedule(static, 1)
	for (size_t i = 0; i < want; i++) {
		size_t begin = i * part;
		size_t end = begin + part < n ? begin + part : n;

		if (begin < end)
			fn(arg, begin, end, (unsigned)i);
	}
}

unsigned
k3_par_default(void)
{
	int n = omp_get_num_procs();

	if (n < 1)
		return 1;
	return n < K3_MAX_THREADS ? (unsigned)n : K3_MAX_THREADS;
}
