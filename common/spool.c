/*
 * spool.c - bytes that wait on the disk
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/spool.h"

int
k3_spool_open(const char *dir, struct k3_err *err)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	char *name;

	/* Not every file system has files without a name. */
	if (fd == -1 && asprintf(&name, "%s/k3-XXXXXX", dir) != -1) {
		fd = mkostemp(name, O_CLOEXEC);
		if (fd != -1)
			unlink(name);
		free(name);
	}
	if (fd == -1)
		k3_fail_errno(err, EX_CANTCREAT,
		    "cannot create a temporary file in '%s'", dir);
	return fd;
}

int
k3_spool_write(int fd, const void *buf, size_t len, uint64_t off,
    const char *dir, struct k3_err *err)
{
	const char *p = buf;

	while (len > 0) {
		ssize_t n = pwrite(fd, p, len, (off_t)off);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return k3_fail_errno(err, EX_IOERR,
			    "cannot write a temporary file in '%s'", dir);
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int
k3_spool_read(int fd, void *buf, size_t len, uint64_t off, const char *dir,
    struct k3_err *err)
{
	char *p = buf;

	while (len > 0) {
		ssize_t n = pread(fd, p, len, (off_t)off);

		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? EIO : errno; /* it was longer */
			return k3_fail_errno(err, EX_IOERR,
			    "cannot read a temporary file in '%s'", dir);
		}
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}
