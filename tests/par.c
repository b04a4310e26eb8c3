/*
 * par.c - ranges cover everything once, on any number of threads
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/par.h"
#include "tests/tap.h"

#define MOST 1000

static unsigned char seen[MOST];
static unsigned owner[MOST];

static void
mark(void *arg, size_t begin, size_t end, unsigned thread)
{
	(void)arg;
	for (size_t i = begin; i < end; i++) {
		seen[i]++;
		owner[i] = thread;
	}
}

/* Each item once, bounds multiples of grain, by threads that there are. */
static bool
covers(const struct k3_par *par, size_t n, size_t grain)
{
	memset(seen, 0, sizeof(seen));
	k3_par_run(par, n, grain, mark, NULL);
	for (size_t i = 0; i < MOST; i++) {
		if (seen[i] != (i < n))
			return false;
		if (i < n && owner[i] >= par->threads)
			return false;
		if (i > 0 && i < n && owner[i] != owner[i - 1] &&
		    i % grain != 0)
			return false;
	}
	return true;
}

static size_t done; /* items that are, but for those of the one who waits */

/* Whoever has item 0 waits for all that the others can do. */
static void
hold(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct timespec nap = { 0, 1000000 };

	(void)arg;
	(void)thread;
	if (begin > 0) {
		__atomic_fetch_add(&done, end - begin, __ATOMIC_ACQ_REL);
		return;
	}
	for (int i = 0; i < 10000; i++) {
		if (__atomic_load_n(&done, __ATOMIC_ACQUIRE) == MOST - end)
			return;
		nanosleep(&nap, NULL);
	}
}

/* CPU seconds that all threads of this process take while it sleeps. */
static double
idle(void)
{
	struct timespec from, to, nap = { 0, 200000000 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	nanosleep(&nap, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	return (double)(to.tv_sec - from.tv_sec) +
	       1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

int
main(void)
{
	static const unsigned threads[] = { 1, 2, 3, 7 };
	struct k3_err err;

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct k3_par par = { 0 };
		bool good = k3_par_open(&par, threads[i], &err) == 0;

		for (size_t n = 0; n < 70 && good; n++)
			for (size_t grain = 1; grain <= 8 && good; grain *= 2)
				good = covers(&par, n, grain);
		for (int k = 0; k < 2000 && good; k++)
			good = covers(&par, MOST, 8);
		ok(good, "%u threads cover every range once", threads[i]);
		done = 0;
		k3_par_run(&par, MOST, 8, hold, NULL);
		ok(threads[i] == 1 || done >= MOST - MOST / threads[i],
		    "the others do what is left of one that is held up");
		ok(idle() < 0.02, "and sleep while there is nothing to do");
		k3_par_close(&par);
	}
	ok(k3_par_default() >= 1, "there is a CPU to run on");
	return tap_done();
}
