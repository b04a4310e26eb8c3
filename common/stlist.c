/*
 * stlist.c - which files a checkpoint has
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/stlist.h"

static bool
is_name(const char *name, size_t len)
{
	if (len == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f ||
		    name[i] == '/')
			return false;
	return true;
}

static uint32_t
hash(const char *name, size_t len)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The place of a name in the table, or the free one for it. */
static uint16_t *
find(const struct k3_stlist *list, const char *name, size_t len)
{
	uint32_t i = hash(name, len);
	uint16_t *slot;

	for (;; i++) {
		slot = &list->slot[i & (list->nslot - 1)];
		if (*slot == 0 || strcmp(list->name[*slot - 1], name) == 0)
			return slot;
	}
}

/* Room for one more name; the table stays at least half empty. */
static int
grow(struct k3_stlist *list)
{
	unsigned cap = list->cap == 0 ? 128 : 2 * list->cap;
	char **name;
	uint16_t *slot;

	if (list->n < list->cap)
		return 0;
	if ((name = realloc(list->name, cap * sizeof(*name))) == NULL)
		return -1;
	list->name = name;
	if ((slot = calloc((size_t)2 * cap, sizeof(*slot))) == NULL)
		return -1;
	free(list->slot);
	list->slot = slot;
	list->nslot = 2 * cap;
	list->cap = cap;
	for (unsigned i = 0; i < list->n; i++)
		*find(list, name[i], strlen(name[i])) = (uint16_t)(i + 1);
	return 0;
}

int
k3_stlist_add(struct k3_stlist *list, const char *name, size_t len,
    struct k3_err *err)
{
	uint16_t *slot;

	if (list->n > 0 && strcmp(list->name[list->last], name) == 0)
		return (int)list->last;
	if (!is_name(name, len))
		return k3_fail(err, EX_DATAERR,
		    "a file name with a slash or control character, or empty");
	if (grow(list) != 0)
		return k3_fail(err, EX_OSERR,
		    "cannot list model files: out of memory");
	slot = find(list, name, len);
	if (*slot == 0) {
		if (list->n == K3_STLIST_MAX)
			return k3_fail(err, EX_DATAERR, "more than %d files",
			    K3_STLIST_MAX);
		if ((list->name[list->n] = strdup(name)) == NULL)
			return k3_fail(err, EX_OSERR,
			    "cannot list model files: out of memory");
		*slot = (uint16_t)++list->n;
	}
	list->last = *slot - 1u;
	return (int)list->last;
}

/* Digits at '*s', at least one and at most nine: taken off. */
static bool
number(const char **s, unsigned *out)
{
	int n = 0;

	for (*out = 0; **s >= '0' && **s <= '9' && n < 9; n++)
		*out = *out * 10 + (unsigned)(*(*s)++ - '0');
	return n > 0;
}

static bool
word(const char **s, const char *want)
{
	size_t len = strlen(want);

	if (strncmp(*s, want, len) != 0)
		return false;
	*s += len;
	return true;
}

/* Is 'name' that of shard k of n? */
static bool
is_shard(const char *name, unsigned *k, unsigned *n)
{
	return word(&name, "model-") && number(&name, k) &&
	       word(&name, "-of-") && number(&name, n) &&
	       strcmp(name, ".safetensors") == 0;
}

/* The shards in 'dp' by number, [*total]; '*shard' is NULL if it has none. */
static int
find_shards(DIR *dp, const char *dir, char ***shard, unsigned *total,
    struct k3_err *err)
{
	struct dirent *ent;
	unsigned k, n;

	while (errno = 0, (ent = readdir(dp)) != NULL) {
		if (!is_shard(ent->d_name, &k, &n))
			continue;
		if (k == 0 || k > n || n > K3_STLIST_MAX)
			return k3_fail(err, EX_DATAERR,
			    "'%s/%s': no shard has such a number", dir,
			    ent->d_name);
		if (*shard == NULL) {
			*total = n;
			if ((*shard = calloc(n, sizeof(**shard))) == NULL)
				goto nomem;
		}
		if (n != *total || (*shard)[k - 1] != NULL)
			return k3_fail(err, EX_DATAERR,
			    "'%s/%s': one shard too many, of %u", dir,
			    ent->d_name, *total);
		if (((*shard)[k - 1] = strdup(ent->d_name)) == NULL)
			goto nomem;
	}
	if (errno != 0)
		return k3_fail_errno(err, EX_IOERR, "cannot list '%s'", dir);
	return 0;
nomem:
	return k3_fail(err, EX_OSERR, "cannot list '%s': out of memory", dir);
}

static int
add_shards(struct k3_stlist *list, const char *dir, char **shard,
    unsigned total, struct k3_err *err)
{
	unsigned missing = 0, first = 0;

	for (unsigned i = total; i-- > 0;)
		if (shard[i] == NULL) {
			missing++;
			first = i + 1;
		}
	for (unsigned i = 0; i < total; i++)
		if (shard[i] != NULL &&
		    k3_stlist_add(list, shard[i], strlen(shard[i]), err) < 0)
			return -1;
	if (missing > 0)
		return k3_fail(err, EX_NOINPUT,
		    "'%s': %u of %u shards are missing, the first is %u", dir,
		    missing, total, first);
	return 0;
}

/* Is there a model.safetensors?  1, 0, or -1 with EX_OSERR. */
static int
has_single(const char *dir, struct k3_err *err)
{
	char *path;
	struct stat sb;
	int yes;

	if (asprintf(&path, "%s/model.safetensors", dir) < 0)
		return k3_fail(err, EX_OSERR, "cannot list '%s': out of memory",
		    dir);
	yes = stat(path, &sb) == 0;
	free(path);
	return yes;
}

int
k3_stlist_folder(struct k3_stlist *list, const char *dir, struct k3_err *err)
{
	static const char single[] = "model.safetensors";
	char **shard = NULL;
	unsigned total = 0;
	int status = has_single(dir, err);
	DIR *dp;

	if (status > 0 &&
	    k3_stlist_add(list, single, sizeof(single) - 1, err) >= 0)
		return 0;
	if (status != 0)
		return -1;
	status = -1;
	if ((dp = opendir(dir)) == NULL)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", dir);
	if (find_shards(dp, dir, &shard, &total, err) != 0)
		goto out;
	if (shard == NULL)
		k3_fail(err, EX_NOINPUT,
		    "cannot open '%s': no model.safetensors, no index and no "
		    "model-NNNNN-of-NNNNNN.safetensors in it",
		    dir);
	else
		status = add_shards(list, dir, shard, total, err);
out:
	for (unsigned i = 0; shard != NULL && i < total; i++)
		free(shard[i]);
	free(shard);
	closedir(dp);
	return status;
}

void
k3_stlist_fini(struct k3_stlist *list)
{
	for (unsigned i = 0; i < list->n; i++)
		free(list->name[i]);
	free(list->name);
	free(list->slot);
	*list = (struct k3_stlist){ 0 };
}
