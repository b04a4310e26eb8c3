/*
 * trace-disk-open.c - k3-trace disk: the files, opened for a turn, and whether
 * they are read past the page cache
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "tools/trace-disk.h"

struct k3_io *
disk_open(struct disk *d, unsigned depth)
{
	struct k3_io_ask ask = { .engine = d->o->engine, .depth = depth };
	struct k3_err err;
	struct k3_io *io = k3_io_open(&ask, &err);

	if (io == NULL)
		disk_die(d, &err);
	for (unsigned i = 0; i < d->nfile; i++) {
		struct disk_file *f = &d->file[i];

		f->io = k3_io_file(io, f->path, f->fd, &err);
		if (f->io == NULL)
			disk_die(d, &err);
	}
	return io;
}

void
disk_close(struct disk *d, struct k3_io *io)
{
	char text[2048];

	for (unsigned i = 0; i < d->nfile; i++)
		if (!k3_io_direct(io, d->file[i].io))
			d->direct = false;
	snprintf(d->engine, sizeof(d->engine), "%s", k3_io_name(io));
	if (!d->noted && k3_io_note(io, text, sizeof(text))) {
		tool_progress_clear(&d->progress);
		tool_note("%s", text);
		d->noted = true;
	}
	k3_io_close(io);
}

bool
disk_fetched(uint64_t *bytes)
{
	FILE *fp = fopen("/proc/self/io", "r");
	bool found = false;
	char line[256];

	while (fp != NULL && !found && fgets(line, sizeof(line), fp) != NULL)
		if (strncmp(line, "read_bytes: ", 12) == 0) {
			*bytes = strtoull(line + 12, NULL, 10);
			found = true;
		}
	if (fp != NULL)
		fclose(fp);
	return found;
}
