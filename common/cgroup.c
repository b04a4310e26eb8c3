/*
 * cgroup.c - what the control groups of this process allow it
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/cgroup.h"

/* What a group allows, of one resource, by the files of one version. */
struct limit {
	const char *controller; /* where version 1 lists it */
	const char *mount[2];   /* of versions 1 and 2, under the root */
	uint64_t (*of)(const char *dir, bool v2);
};

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
read_cache(const char *dir, bool v2)
{
	static const char *const line[2][2] = { { "total_inactive_file",
						    "total_active_file" },
		{ "inactive_file", "active_file" } };
	char path[PATH_MAX], key[64];
	uint64_t n, sum = 0;
	FILE *fp;

	if ((size_t)snprintf(path, sizeof(path), "%s/memory.stat", dir) >=
		sizeof(path) ||
	    (fp = fopen(path, "r")) == NULL)
		return 0;
	while (fscanf(fp, "%63s %" SCNu64, key, &n) == 2)
		if (strcmp(key, line[v2][0]) == 0 ||
		    strcmp(key, line[v2][1]) == 0)
			sum += n;
	fclose(fp);
	return sum;
}

static uint64_t
room(const char *dir, bool v2)
{
	uint64_t max =
	    read_number(dir, v2 ? "memory.max" : "memory.limit_in_bytes");
	uint64_t used =
	    read_number(dir, v2 ? "memory.current" : "memory.usage_in_bytes");
	uint64_t cache;

	if (max == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	cache = read_cache(dir, v2);
	used = used > cache ? used - cache : 0;
	return max > used ? max - used : 0;
}

/* "QUOTA PERIOD" in version 2; no quota is "max" there, and -1 in version 1. */
static uint64_t
cpus(const char *dir, bool v2)
{
	uint64_t quota = read_number(dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");
	uint64_t period = read_number(dir, "cpu.cfs_period_us");
	char path[PATH_MAX];
	FILE *fp;

	if (v2 &&
	    (size_t)snprintf(path, sizeof(path), "%s/cpu.max", dir) <
		sizeof(path) &&
	    (fp = fopen(path, "r")) != NULL) {
		if (fscanf(fp, "%*s %" SCNu64, &period) != 1)
			period = UINT64_MAX;
		fclose(fp);
	}
	if (quota > INT64_MAX || period == 0 || period == UINT64_MAX)
		return UINT64_MAX;
	return quota / period + (quota % period != 0);
}

static const struct limit memory = { "memory", { "/memory", "" }, room };
static const struct limit cpu = { "cpu", { "/cpu", "" }, cpus };

/* The least that the group 'path' and those above it allow. */
static uint64_t
walk(const char *root, const struct limit *l, bool v2, const char *path)
{
	uint64_t least = UINT64_MAX;
	char dir[PATH_MAX];
	size_t top;

	top = (size_t)snprintf(dir, sizeof(dir), "%s%s", root, l->mount[v2]);
	if (top + strlen(path) >= sizeof(dir))
		return least;
	strcat(dir, path);
	for (;;) {
		uint64_t now = l->of(dir, v2);

		least = now < least ? now : least;
		if (strlen(dir) <= top)
			return least;
		*strrchr(dir, '/') = '\0';
	}
}

/* Is a word one of a list with commas? */
static bool
lists(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;; list++) {
		if (strncmp(list, word, len) == 0 &&
		    (list[len] == ',' || list[len] == '\0'))
			return true;
		list = strchr(list, ',');
		if (list == NULL)
			return false;
	}
}

static uint64_t
least_of(const char *list, const char *root, const struct limit *l)
{
	uint64_t least = UINT64_MAX, now;
	FILE *fp = fopen(list, "r");
	char line[PATH_MAX];

	/* "NUMBER:CONTROLLERS:PATH"; version 2 has no controllers here. */
	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL) {
		char *what = strchr(line, ':');
		char *path = what != NULL ? strchr(what + 1, ':') : NULL;
		bool v2;

		if (path == NULL || path[1] != '/')
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		v2 = what[1] == '\0';
		if (!v2 && !lists(what + 1, l->controller))
			continue;
		now = walk(root, l, v2, path);
		least = now < least ? now : least;
	}
	if (fp != NULL)
		fclose(fp);
	return least;
}

uint64_t
k3_cgroup_room(const char *list, const char *root)
{
	return least_of(list, root, &memory);
}

unsigned
k3_cgroup_cpus(const char *list, const char *root)
{
	uint64_t n = least_of(list, root, &cpu);

	if (n == 0)
		return 1;
	return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}
