/*
 * file.c - files that appear whole or not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/regular.h"

/* DIR/NAME to DIR/.NAME.tmp. */
static char *
tmp_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash != NULL ? (int)(slash + 1 - path) : 0;
	char *tmp;

	if (asprintf(&tmp, "%.*s.%s.tmp", dir, path, path + dir) == -1)
		return NULL;
	return tmp;
}

/* Does the open file still have that name? */
static bool
named(int fd, const char *tmp, struct stat *st)
{
	struct stat now;

	return fstat(fd, st) == 0 && lstat(tmp, &now) == 0 &&
	       st->st_dev == now.st_dev && st->st_ino == now.st_ino;
}

/*
 * Open and lock the name.  0 if it was there: a killed process left it, since
 * a living one holds the lock until it has renamed the file.
 */
static int
open_tmp(const char *tmp, mode_t mode, int *fd)
{
	int old = 0;

	*fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (*fd == -1 && errno == EEXIST) {
		old = 1;
		*fd = open(tmp, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (*fd == -1 && errno == ENOENT)
			return 0; /* renamed in this moment */
	}
	if (*fd == -1)
		return -1;
	/* Some network file systems cannot lock at all. */
	if (flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		errno = EBUSY;
		return -1;
	}
	return !old;
}

/*
 * Create the temporary file.  In a folder that all can write its name may have
 * been made a trap, so what stands there is not written, but removed.
 */
static int
create_tmp(const char *tmp, mode_t mode)
{
	struct stat st;
	int fd, got, error;

	for (int tries = 0; tries < 100; tries++) {
		got = open_tmp(tmp, mode, &fd);
		if (got == 1 && named(fd, tmp, &st))
			return fd;
		error = errno;
		if (got == 0 && fd != -1 && named(fd, tmp, &st) &&
		    unlink(tmp) != 0) {
			error = errno;
			got = -1;
		}
		if (fd != -1)
			close(fd);
		errno = error;
		if (got == -1)
			return -1;
	}
	errno = EBUSY;
	return -1;
}

int
k3_file_create(struct k3_file *f, const char *path, mode_t mode,
    struct k3_err *err)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	int fd = -1;

	memset(f, 0, sizeof(*f));
	/* Its temporary file could be made, and not be renamed. */
	if (path[0] == '\0') {
		errno = ENOENT;
		goto fail;
	}
	f->path =
	    there && S_ISREG(st.st_mode) ? realpath(path, NULL) : strdup(path);
	if (f->path == NULL)
		goto fail;
	if (there && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		f->tmp = tmp_name(f->path);
		if (f->tmp != NULL)
			fd = create_tmp(f->tmp, mode);
	}
	if (fd != -1)
		f->fp = fdopen(fd, "w");
	if (f->fp != NULL)
		return 0;
fail:
	if (errno == EBUSY)
		k3_fail(err, EX_CANTCREAT,
		    "cannot create '%s': another process is writing it", path);
	else
		k3_fail_errno(err, EX_CANTCREAT, "cannot create '%s'", path);
	if (fd != -1)
		close(fd);
	free(f->path);
	free(f->tmp);
	memset(f, 0, sizeof(*f));
	return -1;
}

int
k3_file_may_replace(const char *path, const void *magic, size_t len,
    const char *what, struct k3_err *err)
{
	uint64_t size;
	struct stat st;
	char *begins;
	bool own;
	int fd;

	/* What is wrong with the folder, the creation tells. */
	if (lstat(path, &st) != 0 || S_ISREG(st.st_mode) ||
	    stat(path, &st) != 0)
		return 0;
	fd = k3_regular_open(path, &size, err);
	if (fd == -1)
		return -1;
	begins = malloc(len);
	own = size == 0 ||
	      (begins != NULL &&
		  k3_regular_read(fd, begins, len, 0) == (int64_t)len &&
		  memcmp(begins, magic, len) == 0);
	free(begins);
	close(fd);
	if (own)
		return 0;
	return k3_fail(err, EX_CANTCREAT,
	    "cannot replace '%s': it is a link to what is no %s", path, what);
}

/* Make a rename last.  Not all file systems can; the file itself is safe. */
static void
sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash != NULL ? strndup(path, (size_t)(slash + 1 - path))
				  : strdup(".");
	int fd;

	if (dir == NULL)
		return;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd != -1) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

int
k3_file_commit(struct k3_file *f, struct k3_err *err)
{
	int bad = fflush(f->fp) != 0 || ferror(f->fp) ||
		  (f->tmp != NULL && fsync(fileno(f->fp)) != 0);

	/* Rename before close: the lock must outlive the name. */
	if (!bad && f->tmp != NULL)
		bad = rename(f->tmp, f->path) != 0;
	if (!bad && f->tmp != NULL)
		sync_folder(f->path);
	if (!bad && f->tmp != NULL) {
		free(f->tmp);
		f->tmp = NULL;
	}
	if (!bad) {
		bad = fclose(f->fp) != 0;
		f->fp = NULL;
	}
	if (bad)
		k3_fail_errno(err, EX_IOERR, "cannot write '%s'", f->path);
	k3_file_abort(f);
	return bad ? -1 : 0;
}

void
k3_file_abort(struct k3_file *f)
{
	if (f->tmp != NULL)
		unlink(f->tmp);
	if (f->fp != NULL)
		fclose(f->fp);
	free(f->tmp);
	free(f->path);
	memset(f, 0, sizeof(*f));
}
