/*
 * shards.c - a checkpoint's files, for reads in flight
 */
#include <stdlib.h>
#include <unistd.h>

#include "common/shards.h"

int
k3_shards_init(struct k3_shards *s, struct k3_st *st, struct k3_io *io,
    struct k3_sidecar *digests, const struct k3_par *par, struct k3_err *err)
{
	s->st = st;
	s->io = io;
	s->digests = digests;
	s->par = par;
	s->file = calloc(k3_st_nfile(st) + 1, sizeof(*s->file));
	if (s->file == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'files': out of memory");
	return 0;
}

void
k3_shards_fini(struct k3_shards *s)
{
	free(s->file);
	s->file = NULL;
}

struct k3_io_file *
k3_shards_file(struct k3_shards *s, unsigned file, struct k3_err *err)
{
	int fd;

	if (s->file[file] != NULL)
		return s->file[file];
	fd = k3_st_fd(s->st, file, err);
	if (fd == -1)
		return NULL;
	s->file[file] = k3_io_file(s->io, k3_st_path(s->st, file), fd, err);
	close(fd);
	return s->file[file];
}
