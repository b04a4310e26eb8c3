/*
 * regular.h - reading a file that must be a regular one
 *
 * A model folder may come from anywhere.  A FIFO in it would block open() for
 * ever, and a link to /dev/zero has no end: both are refused here.
 */
#ifndef K3_COMMON_REGULAR_H
#define K3_COMMON_REGULAR_H

#include <stdint.h>

#include "common/buf.h"
#include "common/err.h"

/*
 * A folder's files are its name, a slash, and theirs: of an empty name that
 * would be the root.  0, or -1 with EX_NOINPUT ("cannot open").
 */
int k3_regular_folder(const char *dir, struct k3_err *err);

/*
 * Open 'path' to read; its size goes to '*size'.  The descriptor, which the
 * caller closes, or -1 with EX_NOINPUT ("cannot open").  errno is ENOENT where
 * the file is absent.
 */
int k3_regular_open(const char *path, uint64_t *size, struct k3_err *err);

/*
 * Read 'len' bytes at 'off' in full: short reads and EINTR are handled.  No
 * single read asks for more than 1 GiB, as the kernel cuts at 2.  Returns the
 * bytes read, fewer than 'len' only at the end of the file, or -1 with errno.
 */
int64_t k3_regular_read(int fd, void *buf, uint64_t len, uint64_t off);

/*
 * Append the whole file at 'path' to 'buf'.  Fails with EX_NOINPUT as above,
 * with EX_DATAERR if it has more than 'most' bytes, before any is read, with
 * EX_OSERR, and with EX_IOERR where it cannot be read.
 */
int k3_regular_load(struct k3_buf *buf, const char *path, uint64_t most,
    struct k3_err *err);

#endif
