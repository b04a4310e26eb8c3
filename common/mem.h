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

/*
 * Touch all of it, so that it counts now and not when it is used.  -1 with
 * EX_OSERR if there is not so much memory.
 */
int k3_mem_touch(void *p, uint64_t bytes, const char *what, struct k3_err *err);

/* Give back what k3_mem_alloc() gave; 'bytes' as then.  NULL is fine. */
void k3_mem_free(void *p, uint64_t bytes);

/* What that much memory takes, in whole pages. */
uint64_t k3_mem_size(uint64_t bytes);

/* The most whose k3_mem_size() is at most that. */
uint64_t k3_mem_fits(uint64_t bytes);

/* MemAvailable, or the room left by control groups if that is less. */
uint64_t k3_mem_available(void);

/*
 * A lock that processes hold from before they ask what is available until they
 * have touched what they take, so that two cannot count on the same memory.
 * The descriptor to close; -1 with EX_TEMPFAIL if another one holds it, or with
 * EX_OSERR.
 */
int k3_mem_lock(struct k3_err *err);

/* Bytes that the kernel may swap out and has room for: 0 if it won't. */
uint64_t k3_mem_swap(void);

/* The most that this process has had in memory, from the kernel; or 0. */
uint64_t k3_mem_peak(void);

#endif
