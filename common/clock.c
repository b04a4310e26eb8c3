/*
 * clock.c - seconds, for reports
 */
#include <time.h>

#include "common/clock.h"

double
k3_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}
