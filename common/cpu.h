/*
 * cpu.h - CPU levels by name
 *
 * A level chooses among variants of the kernels that all give the same bits.
 */
#ifndef K3_COMMON_CPU_H
#define K3_COMMON_CPU_H

#include <stdbool.h>

#include "common/err.h"

/* The best level of this machine, as a mask of K3_CPU_*. */
unsigned k3_cpu_best(void);

/*
 * The mask for "scalar", "avx2", "avx512" or "neon" into *cpu.  0, or -1:
 * EX_USAGE for another name, EX_UNAVAILABLE if this CPU lacks it.
 */
int k3_cpu_parse(const char *name, unsigned *cpu, struct k3_err *err);

/* Does a level compute in plain C, for lack of vectors?  It is slow. */
bool k3_cpu_plain(unsigned cpu);

/* The name of the highest level in a mask. */
const char *k3_cpu_name(unsigned cpu);

#endif
