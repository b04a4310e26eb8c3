/*
 * verify-diff-folder.c - two folders of layer files: dumps, packed trunks
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cfg.h"
#include "common/regular.h"
#include "tools/tool.h"
#include "tools/verify-diff.h"

/* By number, then the head: what the folders have. */
#define HEAD  ((size_t)K3_MAX_LAYERS + 1)
#define NFILE (HEAD + 1)

struct folders {
	const char *path[2];
	bool has[2][NFILE];
};

static void
name_of(size_t i, char name[16])
{
	if (i == HEAD)
		strcpy(name, "head.k3l");
	else
		snprintf(name, 16, "%03zu.k3l", i);
}

/* Other names are no concern of ours. */
static size_t
number_of(const char *name)
{
	unsigned long n = strtoul(name, NULL, 10);
	char own[16];

	if (strcmp(name, "head.k3l") == 0)
		return HEAD;
	if (n >= HEAD)
		return NFILE;
	name_of(n, own);
	return strcmp(name, own) == 0 ? n : NFILE;
}

static int
list(struct folders *f, int side, struct k3_err *err)
{
	DIR *dir = opendir(f->path[side]);
	struct dirent *e;
	size_t n, found = 0;
	int bad = 0;

	if (dir == NULL)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'",
		    f->path[side]);
	while (errno = 0, (e = readdir(dir)) != NULL) {
		n = number_of(e->d_name);
		if (n == NFILE)
			continue;
		f->has[side][n] = true;
		found++;
	}
	if (errno != 0)
		bad = k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    f->path[side]);
	else if (found == 0)
		bad = k3_fail(err, EX_NOINPUT,
		    "cannot compare '%s': no layer files such as 000.k3l in it",
		    f->path[side]);
	closedir(dir);
	return bad;
}

static char *
join(const struct folders *f, int side, size_t i, struct k3_err *err)
{
	char name[16], *path;

	name_of(i, name);
	if (asprintf(&path, "%s/%s", f->path[side], name) != -1)
		return path;
	k3_fail(err, EX_OSERR, "cannot allocate a path");
	tool_die(err);
}

/* Bytes of what both have. */
static uint64_t
sum_sizes(const struct folders *f, struct k3_err *err)
{
	uint64_t sum = 0;
	struct stat sb;
	char *path;

	for (size_t i = 0; i < NFILE; i++)
		for (int side = 0; side < 2; side++) {
			if (!f->has[0][i] || !f->has[1][i])
				continue;
			path = join(f, side, i, err);
			if (stat(path, &sb) == 0 && sb.st_size > 0)
				sum += (uint64_t)sb.st_size;
			free(path);
		}
	return sum;
}

/* Both are folders' own: a pipe among them would be waited for. */
static int
both(struct diff *d, char *const path[2], struct k3_err *err)
{
	const char *const same[2] = { path[0], path[1] };
	uint64_t size;
	int fd;

	for (int side = 0; side < 2; side++) {
		if ((fd = k3_regular_open(path[side], &size, err)) == -1)
			return -1;
		close(fd);
	}
	d->progress.what = path[0];
	return diff_layers(d, same, err);
}

int
diff_folders(struct diff *d, const char *const path[2], struct k3_err *err)
{
	struct folders f = { .path = { path[0], path[1] } };
	char *file[2], name[16];

	if (list(&f, 0, err) != 0 || list(&f, 1, err) != 0)
		return -1;
	tool_progress_init(&d->progress, TOOL_BYTES, sum_sizes(&f, err),
	    d->quiet, d->verbose);
	for (size_t i = 0; i < NFILE; i++) {
		if (!f.has[0][i] && !f.has[1][i])
			continue;
		if (!f.has[0][i] || !f.has[1][i]) {
			name_of(i, name);
			diff_found(d, "%s: only '%s' has it", name,
			    d->name[f.has[1][i]]);
			continue;
		}
		for (int side = 0; side < 2; side++)
			file[side] = join(&f, side, i, err);
		if (both(d, file, err) != 0)
			diff_failed(d, err);
		d->progress.what = "";
		free(file[0]);
		free(file[1]);
	}
	return 0;
}
