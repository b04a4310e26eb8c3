/*
 * trace-disk-probe.c - k3-trace disk: a file to read, where there is none
 *
 * Its bytes are of a generator: zeros and holes need not be read from a device,
 * and some devices compress.  It has no name while it is read, unless it is to
 * be kept; then it gets one when it is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/file.h"
#include "common/regular.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/trace-disk.h"

#define NAME "k3-probe"
#define HEAD "k3-probe 1 %" PRIu64 "\n"

/* More than the memory that small drives have for themselves. */
#define SIZE ((uint64_t)4 << 30)

/* Written at once; and so many of them brought to the device at once. */
#define BLOCK  ((size_t)1 << 20)
#define BLOCKS 64

static void
drop_cache(int fd)
{
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void
fill(char *block, uint64_t *state)
{
	for (size_t i = 0; i < BLOCK; i += sizeof(uint64_t)) {
		uint64_t word = disk_random(state);

		memcpy(block + i, &word, sizeof(word));
	}
}

/* 0, or -1 with errno. */
static int
write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* 0, or -1 with errno, or since there was a signal. */
static int
write_probe(struct disk *d, int fd, uint64_t size)
{
	char *block = malloc(BLOCK);
	uint64_t state = 0, n = 0;
	int ret = block != NULL ? 0 : -1;

	for (uint64_t done = 0; done < size && ret == 0;) {
		size_t len =
		    size - done < BLOCK ? (size_t)(size - done) : BLOCK;

		fill(block, &state);
		if (done == 0)
			snprintf(block, 64, HEAD, size);
		ret = write_all(fd, block, len);
		done += len;
		if (ret == 0 && (++n % BLOCKS == 0 || done == size))
			ret = fdatasync(fd);
		tool_progress_add(&d->progress, len);
		if (tool_signal_stop())
			ret = -1;
	}
	free(block);
	return ret;
}

/* Bytes for the probe: as asked for, or as fits. */
static uint64_t
choose_size(struct disk *d, const char *dir, const char *path)
{
	uint64_t size = d->o->size, room;
	struct statvfs vfs;
	struct k3_err err;

	if (statvfs(dir, &vfs) != 0) {
		k3_fail_errno(&err, EX_CANTCREAT, "cannot create '%s'", path);
		disk_die(d, &err);
	}
	room = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (size == 0)
		size = room / 10 < SIZE ? room / 10 : SIZE;
	if (size < disk_least(d) && d->o->size == 0)
		size = disk_least(d);
	if (size < disk_least(d)) {
		k3_fail(&err, EX_USAGE,
		    "--size %" PRIu64 " is too little to measure: %" PRIu64
		    " bytes are needed",
		    size, disk_least(d));
		disk_die(d, &err);
	}
	/* The machine has to live meanwhile. */
	if (size > room - room / 10) {
		k3_fail(&err, EX_CANTCREAT,
		    "cannot create '%s': of %" PRIu64 " bytes that are free, "
		    "%" PRIu64 " are too many",
		    path, room, size);
		disk_die(d, &err);
	}
	return size;
}

static noreturn void
die_unwritten(struct disk *d, const char *path)
{
	struct k3_err err;

	k3_fail_errno(&err, EX_IOERR, "cannot write '%s'", path);
	disk_die(d, &err);
}

/* A new one; the descriptor, open to write. */
static int
new_probe(struct disk *d, const char *path, uint64_t size)
{
	struct k3_file f;
	struct k3_err err;
	int fd, error;

	if (k3_file_create(&f, path, K3_FILE_PRIVATE, &err) != 0)
		disk_die(d, &err);
	fd = fcntl(fileno(f.fp), F_DUPFD_CLOEXEC, 0);
	/* From here on it has no name, and no way out can leave it behind. */
	if (!d->o->keep)
		k3_file_abort(&f);
	tool_progress_init(&d->progress, TOOL_BYTES, size, d->o->quiet,
	    d->o->verbose);
	d->progress.what = "writing " NAME;
	if (fd < 0 || write_probe(d, fd, size) != 0) {
		error = errno;
		if (d->o->keep)
			k3_file_abort(&f);
		errno = error;
		die_unwritten(d, path);
	}
	tool_progress_clear(&d->progress);
	if (d->o->keep && k3_file_commit(&f, &err) != 0)
		disk_die(d, &err);
	return fd;
}

/* One that was kept, and whole: its size; 0: it is of no use; or die. */
static uint64_t
look(struct disk *d, const char *path, int fd, uint64_t size)
{
	uint64_t whole;
	char head[65] = "";
	struct k3_err err;

	if (k3_regular_read(fd, head, 64, 0) < 0) {
		k3_fail_errno(&err, EX_IOERR, "cannot read '%s'", path);
		disk_die(d, &err);
	}
	if (sscanf(head, HEAD, &whole) != 1) {
		k3_fail(&err, EX_CANTCREAT,
		    "cannot create '%s': a file that is no probe has the name",
		    path);
		disk_die(d, &err);
	}
	return whole == size && size >= disk_least(d) && size >= d->o->size
		   ? size
		   : 0;
}

/* The probe of an earlier run: its descriptor, or -1. */
static int
old_probe(struct disk *d, const char *path, uint64_t *size)
{
	struct k3_err err;
	struct stat sb;
	int fd;

	if (lstat(path, &sb) != 0 && errno == ENOENT)
		return -1;
	fd = k3_regular_open(path, size, &err);
	if (fd < 0)
		disk_die(d, &err);
	*size = look(d, path, fd, *size);
	if ((*size == 0 || !d->o->keep) && unlink(path) != 0) {
		k3_fail_errno(&err, EX_CANTCREAT, "cannot remove '%s'", path);
		disk_die(d, &err);
	}
	if (*size > 0)
		return fd;
	close(fd);
	return -1;
}

void
disk_probe(struct disk *d, const char *dir)
{
	uint64_t size;
	char *path;
	int fd;

	if (asprintf(&path, "%s/" NAME, dir) == -1) {
		struct k3_err err;

		k3_fail(&err, EX_OSERR, "cannot allocate a path");
		disk_die(d, &err);
	}
	fd = old_probe(d, path, &size);
	if (fd < 0) {
		size = choose_size(d, dir, path);
		fd = new_probe(d, path, size);
	}
	drop_cache(fd);
	disk_add(d, path, fd, size);
}
