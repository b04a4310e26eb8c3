/*
 * measure.h - how fast this machine multiplies
 */
#ifndef K3_COMMON_MEASURE_H
#define K3_COMMON_MEASURE_H

#include "common/speed.h"

/*
 * Set memory and flops, by products of a bfloat16 matrix with one token and
 * with 64, on so many threads at a CPU level (cpu.h).  Takes 137 MB and about
 * half a second.  0, or -1 with EX_OSERR.
 */
int k3_measure(struct k3_speed *speed, unsigned threads, unsigned cpu,
    struct k3_err *err);

#endif
