/*
 * buf.c - bytes that grow, and whole files
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buf.h"

int
k3_buf_need(struct k3_buf *buf, size_t more, struct k3_err *err)
{
	size_t cap = buf->cap;
	char *data;

	if (buf->cap - buf->len >= more)
		return 0;
	if (more > SIZE_MAX / 2 - buf->len)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory: %zu bytes after %zu are too many",
		    more, buf->len);
	/* Doubling keeps the copying linear in the final size. */
	cap = cap < 64 ? 64 : cap * 2;
	if (cap < buf->len + more)
		cap = buf->len + more;
	if ((data = realloc(buf->data, cap)) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory: %zu bytes", cap);
	buf->data = data;
	buf->cap = cap;
	return 0;
}

int
k3_buf_put(struct k3_buf *buf, const void *data, size_t len, struct k3_err *err)
{
	if (len == 0)
		return 0;
	if (k3_buf_need(buf, len, err) != 0)
		return -1;
	memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	return 0;
}

static int
no_memory(const char *path, struct k3_err *err)
{
	return k3_fail(err, EX_OSERR, "cannot read '%s': out of memory", path);
}

static int
load(struct k3_buf *buf, int fd, const char *path, struct k3_err *err)
{
	const size_t begin = buf->len;
	struct stat st;
	ssize_t got;

	/* One byte more than the size, so that the end is seen at once. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (uint64_t)st.st_size <= K3_BUF_MOST &&
	    k3_buf_need(buf, (size_t)st.st_size + 1, err) != 0)
		return no_memory(path, err);
	for (;;) {
		if (buf->len - begin > K3_BUF_MOST)
			return k3_fail(err, EX_DATAERR,
			    "'%s': more than %zu bytes", path, K3_BUF_MOST);
		if (k3_buf_need(buf, 1, err) != 0)
			return no_memory(path, err);
		got = read(fd, buf->data + buf->len, buf->cap - buf->len);
		if (got == 0)
			return 0;
		if (got > 0)
			buf->len += (size_t)got;
		else if (errno != EINTR)
			return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
			    path);
	}
}

int
k3_buf_load(struct k3_buf *buf, const char *path, struct k3_err *err)
{
	int fd, status;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", path);
	status = load(buf, fd, path, err);
	close(fd);
	return status;
}

void
k3_buf_fini(struct k3_buf *buf)
{
	free(buf->data);
	*buf = (struct k3_buf){ 0 };
}
