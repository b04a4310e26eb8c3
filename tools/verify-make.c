/*
 * verify-make.c - digests of a model's tensors, experts and rows, made
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/file.h"
#include "tools/tool.h"
#include "tools/verify.h"

struct make {
	struct verify *v;
	struct verify_entries e;
	const char *path;
	char *part_path;
	FILE *part;
	uint64_t done;
};

static bool
is_new(void *arg, uint64_t entry)
{
	struct make *m = arg;

	return !k3_sidecar_has(m->e.sidecar, entry);
}

static noreturn void
die_writing(struct make *m, const char *path)
{
	struct k3_err err;

	k3_fail_errno(&err, EX_IOERR, "cannot write '%s'", path);
	verify_die(m->v, &err);
}

/*
 * What is known so far stands in FILE.part, in the order in which it was read;
 * a run that was ended goes on behind its last whole line.
 */
static void
open_part(struct make *m)
{
	uint64_t used = 0;
	struct k3_err err;
	off_t size;
	int fd;

	m->part_path = NULL;
	if (asprintf(&m->part_path, "%s.part", m->path) == -1) {
		k3_fail(&err, EX_OSERR, "cannot allocate a path");
		verify_die(m->v, &err);
	}
	fd = open(m->part_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
	    K3_FILE_PUBLIC);
	if (fd == -1 || (m->part = fdopen(fd, "r+")) == NULL) {
		k3_fail_errno(&err, EX_CANTCREAT, "cannot create '%s'",
		    m->part_path);
		verify_die(m->v, &err);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		k3_fail(&err, EX_CANTCREAT,
		    "cannot create '%s': another process is writing it",
		    m->part_path);
		verify_die(m->v, &err);
	}
	size = lseek(fd, 0, SEEK_END);
	if (size > 0 &&
	    k3_sidecar_resume(m->e.sidecar, m->part_path, &used, &err) != 0) {
		tool_note("%s: begun anew", err.msg);
		used = 0;
	}
	if (ftruncate(fd, (off_t)used) != 0 ||
	    fseeko(m->part, (off_t)used, SEEK_SET) != 0 ||
	    (used == 0 && k3_sidecar_put_head(m->e.sidecar, m->part) != 0))
		die_writing(m, m->part_path);
}

static void
on_made(void *arg, uint64_t entry, uint64_t digest, const struct k3_err *err)
{
	struct make *m = arg;
	bool row = k3_sidecar_at(m->e.sidecar, entry).t == K3_T_EMBED;

	if (err != NULL)
		verify_die(m->v, err);
	k3_sidecar_set(m->e.sidecar, entry, digest);
	/* Rows are many and short: some of them may be lost. */
	if (k3_sidecar_put_line(m->e.sidecar, entry, m->part) != 0 ||
	    (!row && fflush(m->part) != 0))
		die_writing(m, m->part_path);
	m->done++;
}

static void
write_all(struct make *m)
{
	struct k3_file f;
	struct k3_err err;

	if (k3_file_create(&f, m->path, K3_FILE_PUBLIC, &err) != 0)
		verify_die(m->v, &err);
	k3_sidecar_put(m->e.sidecar, f.fp);
	if (k3_file_commit(&f, &err) != 0)
		verify_die(m->v, &err);
	unlink(m->part_path);
}

void
verify_make_digests(struct verify *v, const char *path)
{
	struct make m = { .v = v,
		.path = path,
		.e = { .entry = on_made, .arg = &m } };
	char name[TOOL_NAME];
	uint64_t all;

	verify_entries_open(v, &m.e);
	all = m.e.n;
	open_part(&m);
	verify_entries_choose(&m.e, is_new);
	if (m.e.n < all)
		tool_note("'%s': goes on after %" PRIu64 " of %" PRIu64
			  " digests",
		    m.part_path, all - m.e.n, all);
	verify_entries_read(v, &m.e);
	write_all(&m);
	fclose(m.part);
	free(m.part_path);
	printf("'%s': digests %" PRIu64 ", made %" PRIu64 "\n",
	    tool_name(name, path), all, m.done);
	verify_entries_close(&m.e);
}
