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

/*
 * The beginning of such a line, or all of it: text up to a newline at 'end'.
 * '*whole' is set if it goes as far as the path.
 */
static bool
is_line(const char *p, const char *end, bool *whole)
{
	static const char *const fields[] = { "0123456789abcdef", "0123456789",
		"-0123456789" };

	for (size_t i = 0; i < 3; i++) {
		p += strspn(p, fields[i]);
		if (p == end)
			return true;
		if (*p++ != '\t')
			return false;
	}
	*whole |= *p == '/';
	return p == end ||
	       (*p == '/' && memchr(p, 0, (size_t)(end - p)) == NULL);
}

/*
 * A name that was mistyped may be that of any file, to which nothing is added:
 * of IDs too, which could be beginnings of lines.  One that is torn has no
 * newline before a whole one follows.
 */
static int
look(const struct k3_buf *buf, const char *path, struct k3_err *err)
{
	const char *p = buf->data, *end, *past = p + buf->len;
	size_t line = 0;
	bool good = true, whole = false;

	for (; p < past && good; p = end + 1) {
		end = memchr(p, '\n', (size_t)(past - p));
		good = is_line(p, end, &whole);
		line++;
	}
	/* The first of all is none, and a newline was put behind the last. */
	if (good && (whole || line <= 2))
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s' line %zu: not what --done remembers", path,
	    good ? (size_t)1 : line - 1);
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
	buf.len--;
	if (look(&buf, path, &err) != 0)
		verify_die(v, &err);
	d->text = buf.data;
	d->torn = buf.len > 2 && buf.data[buf.len - 2] != '\n';
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
	bool same = now != NULL && strcmp(now, mark) == 0;
	struct k3_err err;

	free(now);
	if (!same)
		return;
	if (fputs(d->torn ? mark : mark + 1, d->fp) == EOF ||
	    fflush(d->fp) != 0) {
		k3_fail_errno(&err, EX_IOERR, "cannot write to --done");
		verify_die(v, &err);
	}
	d->torn = false;
}

void
verify_done_close(struct verify_done *d)
{
	if (d->fp != NULL)
		fclose(d->fp);
	free(d->text);
}
