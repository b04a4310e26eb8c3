/*
 * cgroup.c - what the control groups of this process leave of the memory
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/cgroup.h"

/* The files of one version of control groups. */
struct version {
	const char *mount; /* under the root */
	const char *max, *used;
	const char *cache[2]; /* lines of memory.stat */
};

static const struct version v1 = { "/memory", "memory.limit_in_bytes",
	"memory.usage_in_bytes",
	{ "total_inactive_file", "total_active_file" } };
static const struct version v2 = { "", "memory.max", "memory.current",
	{ "inactive_file", "active_file" } };

/* A number from a file of one, or UINT64_MAX ("max", or no such file). */
static uint64_t
read_number(const char *dir, const char *name)
{
	char path[PATH_MAX];
	uint64_t v = UINT64_MAX;
	FILE *fp;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >=
		sizeof(path) ||
	    (fp = fopen(path, "r")) == NULL)
		return v;
	if (fscanf(fp, "%" SCNu64, &v) != 1)
		v = UINT64_MAX;
	fclose(fp);
	return v;
}

/* Bytes of cached files in a group and those below it. */
static uint64_t
read_cache(const char *dir, const struct version *v)
{
	char path[PATH_MAX], key[64];
	uint64_t n, sum = 0;
	FILE *fp;

	if ((size_t)snprintf(path, sizeof(path), "%s/memory.stat", dir) >=
		sizeof(path) ||
	    (fp = fopen(path, "r")) == NULL)
		return 0;
	while (fscanf(fp, "%63s %" SCNu64, key, &n) == 2)
		if (strcmp(key, v->cache[0]) == 0 ||
		    strcmp(key, v->cache[1]) == 0)
			sum += n;
	fclose(fp);
	return sum;
}

/* The least room in the group 'path' and those above it. */
static uint64_t
walk(const char *root, const struct version *v, const char *path)
{
	uint64_t least = UINT64_MAX;
	char dir[PATH_MAX];
	size_t top;

	top = (size_t)snprintf(dir, sizeof(dir), "%s%s", root, v->mount);
	if (top + strlen(path) >= sizeof(dir))
		return least;
	strcat(dir, path);
	for (;;) {
		uint64_t max = read_number(dir, v->max);
		uint64_t used = read_number(dir, v->used), cache;

		if (max != UINT64_MAX && used != UINT64_MAX) {
			cache = read_cache(dir, v);
			used = used > cache ? used - cache : 0;
			max = max > used ? max - used : 0;
			least = max < least ? max : least;
		}
		if (strlen(dir) <= top)
			return least;
		*strrchr(dir, '/') = '\0';
	}
}

uint64_t
k3_cgroup_room(const char *list, const char *root)
{
	uint64_t least = UINT64_MAX, room;
	FILE *fp = fopen(list, "r");
	char line[PATH_MAX];

	/* "NUMBER:CONTROLLERS:PATH"; version 2 has no controllers here. */
	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL) {
		char *what = strchr(line, ':');
		char *path = what != NULL ? strchr(what + 1, ':') : NULL;

		if (path == NULL || path[1] != '/')
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (what[1] != '\0' && strstr(what, "memory") == NULL)
			continue;
		room = walk(root, what[1] == '\0' ? &v2 : &v1, path);
		least = room < least ? room : least;
	}
	if (fp != NULL)
		fclose(fp);
	return least;
}
