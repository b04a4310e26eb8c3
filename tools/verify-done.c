/*
 * verify-done.c - files that were right, so that they need not be read again
 *
 * A line is digest, size, time of change in ns and path, with tabs between.  It
 * is only ever compared as a whole, so a line that a killed run left unfinished
 * is none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/buf.h"
#include "tools/tool.h"
#include "tools/verify.h"

/* The line that a file should have, with a newline around. */
char *
verify_done_mark(const struct verify_done *d, const char *hex, const char *path)
{
	char *full = d->fp != NULL ? realpath(path, NULL) : NULL, *line = NULL;
	struct stat sb;

	if (full != NULL && stat(full, &sb) == 0 &&
	    strchr(full, '\n') == NULL &&
	    asprintf(&line, "\n%s\t%" PRIu64 "\t%" PRId64 "%09ld\t%s\n", hex,
		(uint64_t)sb.st_size, (int64_t)sb.st_mtim.tv_sec,
		sb.st_mtim.tv_nsec, full) == -1)
		line = NULL;
	free(full);
	return line;
}

void
verify_done_open(struct verify *v, struct verify_done *d, const char *path)
{
	struct k3_buf buf = { 0 };
	struct k3_err err;

	d->text = NULL;
	d->fp = NULL;
	if (path == NULL)
		return;
	if ((d->fp = fopen(path, "ae")) == NULL) {
		k3_fail_errno(&err, EX_CANTCREAT, "cannot create '%s'", path);
		verify_die(v, &err);
	}
	/* A newline ends what may be torn. */
	if (k3_buf_put(&buf, "\n", 1, &err) != 0 ||
	    k3_buf_load(&buf, path, &err) != 0 ||
	    k3_buf_put(&buf, "\n", 2, &err) != 0)
		verify_die(v, &err);
	d->text = buf.data;
	if (buf.len > 3 && buf.data[buf.len - 3] != '\n')
		fputc('\n', d->fp);
}

bool
verify_done_has(const struct verify_done *d, const char *mark)
{
	return mark != NULL && strstr(d->text, mark) != NULL;
}

void
verify_done_add(struct verify *v, struct verify_done *d, const char *mark,
    const char *hex, const char *path)
{
	char *now = mark != NULL ? verify_done_mark(d, hex, path) : NULL;
	struct k3_err err;

	if (now != NULL && strcmp(now, mark) == 0 &&
	    (fputs(mark + 1, d->fp) == EOF || fflush(d->fp) != 0)) {
		k3_fail_errno(&err, EX_IOERR, "cannot write to --done");
		verify_die(v, &err);
	}
	free(now);
}

void
verify_done_close(struct verify_done *d)
{
	if (d->fp != NULL)
		fclose(d->fp);
	free(d->text);
}
