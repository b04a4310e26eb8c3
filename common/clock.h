/*
 * clock.h - seconds, for reports
 */
#ifndef K3_COMMON_CLOCK_H
#define K3_COMMON_CLOCK_H

/* Seconds of a clock that only goes forward. */
double k3_clock(void);

#endif
