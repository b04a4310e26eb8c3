/*
 * verify-diff-open.c - what two inputs are, by looking at them
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"
#include "tools/verify-diff.h"

/*
 * Logits may begin with any bytes; that these are a whole block of plain text
 * is not likely.
 */
#define LOOK 256

static const char *const kind_name[DIFF_NKIND] = { "a folder", "a layer file",
	"a run report", "text", "logits", "a stream" };

const char *
diff_kind_name(enum diff_kind kind)
{
	return kind_name[kind];
}

static enum diff_kind
kind_of(const char *p, size_t n)
{
	size_t first;

	if (n >= 8 && memcmp(p, "k3-layer", 8) == 0)
		return DIFF_LAYER;
	for (size_t i = 0; i < n; i++)
		if ((p[i] < ' ' || p[i] > '~') && p[i] != '\t' &&
		    p[i] != '\n' && p[i] != '\r')
			return DIFF_LOGITS;
	for (first = 0; first < n && p[first] <= ' '; first++)
		continue;
	if (n == 0)
		return DIFF_LOGITS;
	return first < n && p[first] == '{' ? DIFF_REPORT : DIFF_TEXT;
}

int
diff_look(const char *path, struct k3_err *err)
{
	char start[LOOK];
	struct stat sb;
	uint64_t size;
	int64_t n;
	int fd;

	if (strcmp(path, "-") == 0)
		return DIFF_STREAM;
	if (stat(path, &sb) != 0)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", path);
	if (S_ISDIR(sb.st_mode))
		return DIFF_FOLDER;
	if (!S_ISREG(sb.st_mode))
		return DIFF_STREAM;
	if ((fd = k3_regular_open(path, &size, err)) == -1)
		return -1;
	n = k3_regular_read(fd, start, sizeof(start), 0);
	if (n < 0)
		k3_fail_errno(err, EX_IOERR, "cannot read '%s'", path);
	close(fd);
	return n < 0 ? -1 : (int)kind_of(start, (size_t)n);
}

FILE *
diff_open(const char *path, uint64_t *size, struct k3_err *err)
{
	struct stat sb;
	FILE *fp = stdin;

	if (strcmp(path, "-") != 0)
		fp = fopen(path, "re");
	if (fp == NULL || fstat(fileno(fp), &sb) != 0) {
		k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", path);
		if (fp != NULL)
			diff_close(fp);
		return NULL;
	}
	*size = S_ISREG(sb.st_mode) && fp != stdin ? (uint64_t)sb.st_size : 0;
	posix_fadvise(fileno(fp), 0, 0, POSIX_FADV_SEQUENTIAL);
	return fp;
}

void
diff_close(FILE *fp)
{
	if (fp != stdin)
		fclose(fp);
}
