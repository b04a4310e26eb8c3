/*
 * cores.h - how many threads this machine has room for
 */
#ifndef K3_COMMON_CORES_H
#define K3_COMMON_CORES_H

#include <sched.h>

/*
 * Cores with at least one CPU in 'set'; 'root' is the kernel's folder of CPUs,
 * /sys/devices/system/cpu.  A CPU that it says nothing about is a core.
 */
unsigned k3_cores(const cpu_set_t *set, const char *root);

/*
 * Cores that this process may run on, or the whole CPUs' worth of time that
 * its control groups grant if that is less; at least 1.
 */
unsigned k3_cores_usable(void);

#endif
