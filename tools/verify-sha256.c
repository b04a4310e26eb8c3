/*
 * verify-sha256.c - files of a model against a list of SHA-256 digests
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"
#include "common/sums.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify.h"

/* Files at a time, at most: 16 MB each. */
#define LANES 32

struct sha256 {
	struct verify *v;
	const char *list;
	struct k3_sums sums;
	size_t next; /* of sums */
	struct verify_done *done;
	char **mark; /* [sums.n]: of files that are read */
	uint64_t compared, wrong, skipped;
};

static void
hex_of(const uint8_t digest[K3_SHA256], char hex[VERIFY_HEX])
{
	for (unsigned i = 0; i < K3_SHA256; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", digest[i]);
}

static void
wrong(struct sha256 *s, const struct k3_err *err)
{
	s->wrong++;
	verify_found(s->v, err);
}

/* Of a file that is there, or should be. */
static uint64_t
size_of(const struct sha256 *s, const struct k3_sum *sum)
{
	char *path;
	struct stat sb;
	uint64_t size;

	if (sum->has_size)
		return sum->size;
	path = verify_join(s->v, s->v->model, sum->name);
	size = stat(path, &sb) == 0 ? (uint64_t)sb.st_size : 0;
	free(path);
	return size;
}

static void
read_list(struct sha256 *s)
{
	bool in = strcmp(s->list, "-") == 0;
	struct k3_err err;
	uint64_t size;
	int fd = in ? STDIN_FILENO : k3_regular_open(s->list, &size, &err);
	FILE *fp = fd >= 0 ? fdopen(fd, "r") : NULL;
	int status = -1;

	if (fp != NULL) {
		status =
		    k3_sums_read(&s->sums, fp, in ? "<stdin>" : s->list, &err);
		fclose(fp);
	} else if (fd >= 0) {
		k3_fail_errno(&err, EX_OSERR, "cannot open '%s'", s->list);
	}
	if (status != 0)
		verify_die(s->v, &err);
}

/* The size tells without reading; files without a digest have no more. */
static bool
worth_reading(struct sha256 *s, const struct k3_sum *sum, const char *path,
    uint64_t size)
{
	struct k3_err err;

	if (sum->has_size && sum->size != size) {
		k3_fail(&err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes, but '%s' has %" PRIu64, path,
		    size, s->list, sum->size);
		wrong(s, &err);
		return false;
	}
	if (!sum->has_digest ||
	    verify_done_has(s->done, s->mark[sum - s->sums.sum])) {
		s->skipped++;
		return false;
	}
	return true;
}

/* What the file is like, before it is opened. */
static void
mark(struct sha256 *s, const struct k3_sum *sum, const char *path)
{
	char hex[VERIFY_HEX];

	hex_of(sum->digest, hex);
	if (sum->has_digest)
		s->mark[sum - s->sums.sum] =
		    verify_done_mark(s->done, hex, path);
}

/* A folder of the list that is a link would lead out of the model's. */
static int
open_listed(const struct sha256 *s, char *file, uint64_t *size,
    struct k3_err *err)
{
	char *slash = file + strlen(s->v->model);
	struct stat sb;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		if (lstat(file, &sb) == 0 && S_ISLNK(sb.st_mode))
			return k3_fail(err, EX_NOINPUT,
			    "cannot use '%s': it is a link, and only files "
			    "may be links",
			    file);
		*slash = '/';
	}
	return k3_regular_open(file, size, err);
}

/* The next file that has to be read. */
static int
next(void *arg, char **path, uint64_t *size, const void **tag)
{
	struct sha256 *s = arg;
	struct k3_err err;

	while (s->next < s->sums.n && !tool_signal_stop()) {
		const struct k3_sum *sum = &s->sums.sum[s->next++];
		char *file = verify_join(s->v, s->v->model, sum->name);
		int fd;

		mark(s, sum, file);
		fd = open_listed(s, file, size, &err);
		if (fd >= 0 && worth_reading(s, sum, file, *size)) {
			*path = file;
			*tag = sum;
			return fd;
		}
		if (fd >= 0)
			close(fd);
		else
			wrong(s, &err);
		tool_progress_add(&s->v->progress, size_of(s, sum));
		free(file);
	}
	return -1;
}

static void
done(void *arg, const void *tag, const char *path, const char hex[VERIFY_HEX],
    const struct k3_err *why)
{
	struct sha256 *s = arg;
	const struct k3_sum *sum = tag;
	char want[VERIFY_HEX];
	struct k3_err err;

	if (why != NULL) {
		wrong(s, why);
		return;
	}
	s->compared++;
	hex_of(sum->digest, want);
	if (strcmp(hex, want) == 0) {
		verify_done_add(s->v, s->done, s->mark[sum - s->sums.sum], hex,
		    path);
		return;
	}
	k3_fail(&err, EX_DATAERR, "'%s': SHA-256 is %s, but '%s' has %s", path,
	    hex, s->list, want);
	wrong(s, &err);
}

static int
by_name(const void *key, const void *sum)
{
	return strcmp(key, ((const struct k3_sum *)sum)->name);
}

/* A file of weights that nobody vouches for. */
static void
find_unlisted(struct sha256 *s)
{
	for (unsigned i = 0; s->v->st != NULL && i < k3_st_nfile(s->v->st);
	     i++) {
		const char *path = k3_st_path(s->v->st, i);
		const char *name = path + strlen(s->v->model) + 1;
		struct k3_err err;

		if (bsearch(name, s->sums.sum, s->sums.n, sizeof(*s->sums.sum),
			by_name) != NULL)
			continue;
		k3_fail(&err, EX_DATAERR, "'%s': '%s' does not have it", path,
		    s->list);
		wrong(s, &err);
	}
}

void
verify_sha256(struct verify *v, const char *list, struct verify_done *remember)
{
	struct sha256 s = { .v = v, .list = list, .done = remember };
	unsigned lanes = v->threads < LANES ? v->threads : LANES;
	uint64_t total = 0;
	char name[TOOL_NAME];
	struct k3_err err;

	read_list(&s);
	s.mark = calloc(s.sums.n + 1, sizeof(*s.mark));
	if (s.mark == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'files'");
		verify_die(v, &err);
	}
	for (size_t i = 0; i < s.sums.n; i++)
		total += size_of(&s, &s.sums.sum[i]);
	tool_progress_init(&v->progress, TOOL_BYTES, total, v->quiet,
	    v->verbose);
	v->progress.what = list;
	verify_hash(v,
	    &(struct verify_hash_ask){
		.lanes = lanes < s.sums.n ? lanes : (unsigned)s.sums.n,
		.next = next,
		.done = done,
		.arg = &s });
	tool_progress_clear(&v->progress);
	find_unlisted(&s);
	printf("'%s': files %zu, compared %" PRIu64 ", passed over %" PRIu64
	       ", wrong %" PRIu64 "\n",
	    tool_name(name, list), s.sums.n, s.compared, s.skipped, s.wrong);
	for (size_t i = 0; i < s.sums.n; i++)
		free(s.mark[i]);
	free(s.mark);
	k3_sums_fini(&s.sums);
}
