/*
 * buf.h - bytes that grow, and whole files
 *
 * The struct is visible and lives with its owner; all zeros is an empty
 * buffer.  A buffer that holds nothing may have a NULL pointer.
 */
#ifndef K3_COMMON_BUF_H
#define K3_COMMON_BUF_H

#include <stddef.h>

#include "common/err.h"

#define K3_BUF_MOST ((size_t)256 << 20)

struct k3_buf {
	char *data;
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated */
};

/* Make room for 'more' bytes after the end; 'len' stays. */
int k3_buf_need(struct k3_buf *buf, size_t more, struct k3_err *err);

/* Append 'len' bytes. */
int k3_buf_put(struct k3_buf *buf, const void *data, size_t len,
    struct k3_err *err);

/*
 * Append the whole file at 'path', which may be a pipe too.  Fails with
 * EX_NOINPUT where it cannot be opened, with EX_IOERR where it cannot be read,
 * and with EX_DATAERR where it has more than K3_BUF_MOST bytes: /dev/zero has.
 */
int k3_buf_load(struct k3_buf *buf, const char *path, struct k3_err *err);

/* Free the bytes; the buffer is empty again. */
void k3_buf_fini(struct k3_buf *buf);

#endif
