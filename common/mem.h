/*
 * mem.h - large buffers, on 2 MB pages where that pays
 */
#ifndef K3_COMMON_MEM_H
#define K3_COMMON_MEM_H

#include <stdint.h>

#include "common/err.h"

/*
 * 'bytes' of zeroed memory from a page boundary (of a 2 MB page for large
 * ones), or NULL with EX_OSERR.  Memory counts once it is touched.
 */
void *k3_mem_alloc(uint64_t bytes, const char *what, struct k3_err *err);

/* Give back what k3_mem_alloc() gave; 'bytes' as then.  NULL is fine. */
void k3_mem_free(void *p, uint64_t bytes);

/* What that much memory takes, in whole pages. */
uint64_t k3_mem_size(uint64_t bytes);

/* MemAvailable, or the room left by control groups if that is less. */
uint64_t k3_mem_available(void);

/* The most that this process has had in memory, from the kernel; or 0. */
uint64_t k3_mem_peak(void);

#endif
