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

/*
 * Is the open file the one that has the name, and nobody else's?  Between open
 * and lock another writer may have finished and renamed it; and in a folder
 * that all can write, the name may have been made a trap.
 */
static bool
ours(int fd, const char *tmp)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(tmp, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
	       S_ISREG(a.st_mode) && a.st_nlink == 1 && a.st_uid == geteuid();
}

/*
 * Create the temporary file, and remove the one that a killed process left:
 * its lock went with it, while that of a living one is held to the rename.
 */
static int
open_tmp(const char *tmp, mode_t mode)
{
	int fd;

	for (;;) {
		bool left = false;

		fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd == -1 && errno == EEXIST) {
			left = true;
			fd = open(tmp,
			    O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		}
		if (fd == -1)
			return -1;
		/* Some network file systems cannot lock at all. */
		if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
			close(fd);
			errno = EBUSY;
			return -1;
		}
		if (!ours(fd, tmp)) {
			close(fd);
			errno = EEXIST;
			return -1;
		}
		if (!left)
			return fd;
		unlink(tmp);
		close(fd);
	}
}

int
k3_file_create(struct k3_file *f, const char *path, mode_t mode,
    struct k3_err *err)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	int fd = -1;

	memset(f, 0, sizeof(*f));
	f->path =
	    there && S_ISREG(st.st_mode) ? realpath(path, NULL) : strdup(path);
	if (f->path == NULL)
		goto fail;
	if (there && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		f->tmp = tmp_name(f->path);
		if (f->tmp != NULL)
			fd = open_tmp(f->tmp, mode);
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
