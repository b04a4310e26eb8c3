/*
 * regular.c - reading a file that must be a regular one
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"

#define MOST ((uint64_t)1 << 30)

int
k3_regular_folder(const char *dir, struct k3_err *err)
{
	if (dir[0] != '\0')
		return 0;
	errno = ENOENT;
	return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", dir);
}

int
k3_regular_open(const char *path, uint64_t *size, struct k3_err *err)
{
	int fd, saved;
	struct stat sb;

	/* Without O_NONBLOCK a FIFO waits for a writer; files don't mind. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &sb) != 0) {
		saved = errno;
		k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", path);
		if (fd >= 0)
			close(fd);
		errno = saved;
		return -1;
	}
	if (!S_ISREG(sb.st_mode) || sb.st_size < 0) {
		k3_fail(err, EX_NOINPUT, "cannot open '%s': not a regular file",
		    path);
		close(fd);
		errno = EINVAL;
		return -1;
	}
	*size = (uint64_t)sb.st_size;
	return fd;
}

int64_t
k3_regular_read(int fd, void *buf, uint64_t len, uint64_t off)
{
	uint64_t done = 0;

	while (done < len) {
		size_t want = len - done < MOST ? len - done : MOST;
		ssize_t n =
		    pread(fd, (char *)buf + done, want, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (uint64_t)n;
	}
	return (int64_t)done;
}

int
k3_regular_load(struct k3_buf *buf, const char *path, uint64_t most,
    struct k3_err *err)
{
	uint64_t size;
	int64_t got;
	int fd, status = -1;

	if ((fd = k3_regular_open(path, &size, err)) < 0)
		return -1;
	if (size > most) {
		k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes (want at most %" PRIu64 ")", path,
		    size, most);
	} else if (k3_buf_need(buf, size, err) != 0) {
		k3_fail(err, EX_OSERR, "cannot read '%s': out of memory", path);
	} else if ((got = k3_regular_read(fd, buf->data + buf->len, size, 0)) <
		   0) {
		k3_fail_errno(err, EX_IOERR, "cannot read '%s'", path);
	} else {
		buf->len += (size_t)got;
		status = 0;
	}
	close(fd);
	return status;
}
