/*
 * io-file.c - files to read from, past the page cache if it can be
 *
 * What open() allows says little: some file systems take O_DIRECT and refuse
 * the read, or refuse it at certain offsets.  So one unit is read in earnest,
 * by the engine in use.  A refusal in the middle of the work is met alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io-impl.h"
#include "common/regular.h"

/*
 * A descriptor of its own for the file that 'fd' has open.  By way of /proc it
 * is that file whatever became of its name; without /proc, by the name.
 */
static int
open_again(const char *path, int fd, int flags)
{
	char proc[64];
	struct stat was, is;
	int again;

	flags |= O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	again = open(proc, flags);
	if (again < 0 && errno == ENOENT)
		again = open(path, flags);
	if (again < 0)
		return -1;
	if (fstat(fd, &was) == 0 && fstat(again, &is) == 0 &&
	    was.st_dev == is.st_dev && was.st_ino == is.st_ino)
		return again;
	close(again);
	errno = ESTALE;
	return -1;
}

/* Does the second engine serve, or can it be made to? */
static bool
have_second(struct k3_io_device *d)
{
	if (d->engine->buffered || d->second_state != NULL)
		return true;
	d->second_state = k3_io_pread.open(d->io->depth, d->bell, NULL);
	return d->second_state != NULL;
}

bool
k3_io_buffer(struct k3_io_file *file, int why)
{
	int flags = fcntl(file->fd, F_GETFL);

	if (flags < 0 || !have_second(file->device) ||
	    fcntl(file->fd, F_SETFL, flags & ~O_DIRECT) != 0)
		return false;
	/* Or else the kernel reads on, into what nobody asked for. */
	posix_fadvise(file->fd, 0, 0, POSIX_FADV_RANDOM);
	file->direct = false;
	file->refused = why;
	return true;
}

/*
 * Read a unit whose offset, and place, is an odd number of units, if there is
 * one: devices with larger units refuse that.
 */
static int
probe(struct k3_io *io, struct k3_io_file *file, uint64_t size,
    struct k3_err *err)
{
	struct k3_io_read *read = &file->read;
	struct k3_err ignored;
	uint64_t off = size > K3_IO_ALIGN ? K3_IO_ALIGN : 0;

	file->probe =
	    aligned_alloc((size_t)2 * K3_IO_ALIGN, (size_t)2 * K3_IO_ALIGN);
	if (file->probe == NULL)
		return k3_fail(err, EX_OSERR, "cannot open '%s': out of memory",
		    file->path);
	read->file = file;
	read->off = off;
	read->len = size - off < K3_IO_ALIGN ? size - off : K3_IO_ALIGN;
	read->dst = file->probe + off;
	read->what = "first bytes";
	k3_io_start(io, read, true);
	if (k3_io_wait(io, read, &ignored) == 0 || !read->lost)
		return 0;
	*err = ignored;
	return -1;
}

/* Put it in the list; from here on k3_io_close() frees it. */
static void
add(struct k3_io *io, struct k3_io_file *file)
{
	pthread_mutex_lock(&io->lock);
	file->next = io->file;
	io->file = file;
	pthread_mutex_unlock(&io->lock);
}

static int
open_file(struct k3_io *io, struct k3_io_file *file, int fd, struct k3_err *err)
{
	bool good;

	file->fd = open_again(file->path, fd, O_DIRECT);
	if (file->fd >= 0) {
		file->direct = true;
		return 0;
	}
	file->refused = errno;
	file->fd = open_again(file->path, fd, 0);
	if (file->fd < 0)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'",
		    file->path);
	pthread_mutex_lock(&io->lock);
	good = k3_io_buffer(file, file->refused);
	pthread_mutex_unlock(&io->lock);
	if (good)
		return 0;
	k3_fail_errno(err, EX_OSERR, "cannot start threads to read '%s'",
	    file->path);
	close(file->fd);
	return -1;
}

struct k3_io_file *
k3_io_file(struct k3_io *io, const char *path, int fd, struct k3_err *err)
{
	struct k3_io_file *file = calloc(1, sizeof(*file));
	struct stat sb;
	uint64_t size;
	int own = -1;

	if (file == NULL || (file->path = strdup(path)) == NULL) {
		k3_fail(err, EX_OSERR, "cannot open '%s': out of memory", path);
		goto fail;
	}
	if (fd < 0 && (fd = own = k3_regular_open(path, &size, err)) < 0)
		goto fail;
	if (fstat(fd, &sb) != 0 || !S_ISREG(sb.st_mode)) {
		k3_fail(err, EX_NOINPUT, "cannot open '%s': not a regular file",
		    path);
		goto fail;
	}
	pthread_mutex_lock(&io->lock);
	file->device = k3_io_device(io, sb.st_dev);
	pthread_mutex_unlock(&io->lock);
	if (file->device == NULL) {
		k3_fail_errno(err, EX_OSERR, "cannot start reads of '%s'",
		    path);
		goto fail;
	}
	if (open_file(io, file, fd, err) != 0)
		goto fail;
	if (own >= 0)
		close(own);
	add(io, file);
	if (file->direct && sb.st_size > 0 &&
	    probe(io, file, (uint64_t)sb.st_size, err) != 0)
		return NULL;
	return file;
fail:
	if (own >= 0)
		close(own);
	if (file != NULL)
		free(file->path);
	free(file);
	return NULL;
}

bool
k3_io_direct(struct k3_io *io, const struct k3_io_file *file)
{
	bool direct;

	pthread_mutex_lock(&io->lock);
	direct = file->direct;
	pthread_mutex_unlock(&io->lock);
	return direct;
}

bool
k3_io_note(struct k3_io *io, char *text, size_t size)
{
	const struct k3_io_file *first = NULL;
	unsigned n = 0;
	size_t len = 0;

	text[0] = '\0';
	pthread_mutex_lock(&io->lock);
	for (const struct k3_io_file *f = io->file; f != NULL; f = f->next)
		if (f->refused != 0) {
			first = f;
			n++;
		}
	if (io->no_aio != 0)
		snprintf(text, size, "no asynchronous reads here: %s%s",
		    strerror(io->no_aio), n > 0 ? "; " : "");
	len = strlen(text);
	if (n == 1)
		snprintf(text + len, size - len,
		    "cannot pass the page cache for '%s': %s", first->path,
		    strerror(first->refused));
	else if (n > 1)
		snprintf(text + len, size - len,
		    "cannot pass the page cache for '%s' and %u others: %s",
		    first->path, n - 1, strerror(first->refused));
	pthread_mutex_unlock(&io->lock);
	return text[0] != '\0';
}
