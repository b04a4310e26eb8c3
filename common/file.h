/*
 * file.h - files that appear whole or not at all
 *
 * What is written goes to a temporary file in the same folder, ".NAME.tmp",
 * which takes the place of the file only when all of it is on the disk.  The
 * temporary name is the same each time and locked while in use: what a killed
 * process left is reused by the next one, and two writers of one file cannot
 * mix.  Where the path names a device or a pipe there is nothing to replace,
 * and it is written directly.  A symbolic link to a file is followed: the file
 * that it names is replaced, the link stays.
 */
#ifndef K3_COMMON_FILE_H
#define K3_COMMON_FILE_H

#include <stdio.h>
#include <sys/types.h>

#include "common/err.h"

/* For what holds somebody's text; for what everyone may read. */
#define K3_FILE_PRIVATE 0600
#define K3_FILE_PUBLIC  0666

struct k3_file {
	FILE *fp;   /* write here */
	char *path; /* the file's own name */
	char *tmp;  /* NULL: written directly */
};

/* Begin.  'mode' is what umask lets through.  0, or -1 and nothing to undo. */
int k3_file_create(struct k3_file *f, const char *path, mode_t mode,
    struct k3_err *err);

/*
 * Everything was written: put it in its place.  0, or -1, and then the
 * temporary file is gone.  Notices errors of earlier writes to f->fp too.
 */
int k3_file_commit(struct k3_file *f, struct k3_err *err);

/*
 * May a file of a folder that came from elsewhere be replaced?  Its name may
 * have been made a link to any file of the user's: behind one there must be a
 * file that begins with 'magic', or is empty.  0, or -1 with EX_CANTCREAT and
 * 'what' it is not, or EX_NOINPUT where it is no regular file.
 */
int k3_file_may_replace(const char *path, const void *magic, size_t len,
    const char *what, struct k3_err *err);

/* Give up: remove the temporary file.  Also for a file that is all zero. */
void k3_file_abort(struct k3_file *f);

#endif
