/*
 * trace-disk-place.c - k3-trace disk: which files are read
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cfg.h"
#include "common/clock.h"
#include "common/regular.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/trace-disk.h"

/* A routed expert of K3, where there is no model to ask. */
#define EXPERT 17547264

/*
 * Trunk in order is cut into pieces anyway: this only has to be several, and to
 * be found several times.
 */
#define TRUNK ((uint64_t)32 << 20)
#define PARTS 4

uint64_t
disk_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t
disk_least(const struct disk *d)
{
	return 2 * d->expert;
}

noreturn void
disk_too_small(struct disk *d, const char *path, uint64_t size)
{
	struct k3_err err;

	k3_fail(&err, EX_DATAERR,
	    "'%s': %" PRIu64 " bytes, too few to measure: %" PRIu64
	    " are needed",
	    path, size, disk_least(d));
	disk_die(d, &err);
}

void
disk_add(struct disk *d, char *path, int fd, uint64_t size)
{
	struct disk_file *f = &d->file[d->nfile++];

	/* It may have changed since it was looked at. */
	if (size < d->expert)
		disk_too_small(d, path, size);
	f->path = path;
	f->fd = fd;
	f->size = size;
	d->bytes += size;
	if (d->o->verbose)
		tool_note("reading '%s', %" PRIu64 " bytes", path, size);
}

static int
is_shard(const struct dirent *e)
{
	static const char end[] = ".safetensors";
	size_t len = strlen(e->d_name), n = sizeof(end) - 1;

	return len > n && strcmp(e->d_name + len - n, end) == 0;
}

static noreturn void
no_memory(struct disk *d)
{
	struct k3_err err;

	k3_fail(&err, EX_OSERR, "cannot allocate a path");
	disk_die(d, &err);
}

/* What is large enough for an expert, to the front; returns how many. */
static int
pick(struct disk *d, const char *dir, struct dirent **list, int n,
    uint64_t *bytes)
{
	int good = 0;

	for (int i = 0; i < n; i++) {
		struct dirent *e = list[i];
		struct stat sb;
		char *path;

		if (asprintf(&path, "%s/%s", dir, e->d_name) == -1)
			no_memory(d);
		if (stat(path, &sb) == 0 && S_ISREG(sb.st_mode)) {
			*bytes += (uint64_t)sb.st_size;
			if ((uint64_t)sb.st_size >= d->expert) {
				list[i] = list[good];
				list[good++] = e;
			}
		}
		free(path);
	}
	return good;
}

/* The shards of a folder, or some from all over them.  False: it has none. */
static bool
shards(struct disk *d, const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, is_shard, alphasort), good, most;
	uint64_t bytes = 0, size;
	struct k3_err err;

	if (n < 0) {
		k3_fail_errno(&err, EX_NOINPUT, "cannot open '%s'", dir);
		disk_die(d, &err);
	}
	good = pick(d, dir, list, n, &bytes);
	most = good < DISK_FILES ? good : DISK_FILES;
	for (int i = 0; i < most; i++) {
		const char *name =
		    list[(int)((int64_t)i * good / most)]->d_name;
		char *path;
		int fd;

		if (asprintf(&path, "%s/%s", dir, name) == -1)
			no_memory(d);
		fd = k3_regular_open(path, &size, &err);
		if (fd < 0)
			disk_die(d, &err);
		disk_add(d, path, fd, size);
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	if (n > 0 && d->bytes < disk_least(d))
		disk_too_small(d, dir, bytes);
	return n > 0;
}

static void
one_file(struct disk *d, const char *name)
{
	struct k3_err err;
	uint64_t size;
	struct stat sb;
	char *path;
	int fd;

	/* Some devices do not even like to be opened. */
	if (stat(name, &sb) == 0 && !S_ISREG(sb.st_mode)) {
		k3_fail(&err, EX_NOINPUT,
		    "cannot open '%s': not a regular file", name);
		disk_die(d, &err);
	}
	fd = k3_regular_open(name, &size, &err);
	if (fd < 0)
		disk_die(d, &err);
	if (size < disk_least(d))
		disk_too_small(d, name, size);
	path = strdup(name);
	if (path == NULL)
		no_memory(d);
	disk_add(d, path, fd, size);
}

/* The size of reads in order, and where the first begins: not at a unit. */
static void
choose(struct disk *d)
{
	uint64_t largest = 0;

	assert(d->nfile > 0);
	for (unsigned i = 0; i < d->nfile; i++)
		if (d->file[i].size > largest)
			largest = d->file[i].size;
	d->trunk = largest / PARTS < TRUNK ? largest / PARTS : TRUNK;
	d->random = (uint64_t)(k3_clock() * 1e9);
	d->at = (unsigned)(disk_random(&d->random) % d->nfile);
	d->pos = disk_random(&d->random) % (d->file[d->at].size + 1);
}

void
disk_place(struct disk *d)
{
	static struct k3_cfg cfg;
	const char *path = d->o->path;
	struct k3_err ignored;
	struct stat sb;

	d->expert = EXPERT;
	if (stat(path, &sb) != 0 || !S_ISDIR(sb.st_mode)) {
		one_file(d, path);
	} else {
		/* A model that is not there yet has its config.json first. */
		if (k3_cfg_load(&cfg, path, &ignored) == 0)
			d->expert = k3_cfg_expert_bytes(&cfg);
		if (!shards(d, path))
			disk_probe(d, path);
	}
	if (tool_signal_stop())
		tool_signal_die();
	choose(d);
}
