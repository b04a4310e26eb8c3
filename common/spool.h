/*
 * spool.h - bytes that wait on the disk
 *
 * A temporary file without a name: it is gone when it is closed, or when the
 * process ends in any way.
 */
#ifndef K3_COMMON_SPOOL_H
#define K3_COMMON_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* A descriptor of a new one in the folder 'dir', or -1 with EX_CANTCREAT. */
int k3_spool_open(const char *dir, struct k3_err *err);

/*
 * Write or read all of 'len' bytes at 'off'; 'dir' is for the message.  0, or
 * -1 with EX_IOERR, as when the disk is full.
 */
int k3_spool_write(int fd, const void *buf, size_t len, uint64_t off,
    const char *dir, struct k3_err *err);
int k3_spool_read(int fd, void *buf, size_t len, uint64_t off, const char *dir,
    struct k3_err *err);

#endif
