/*
 * stlist.h - which files a checkpoint has
 */
#ifndef K3_COMMON_STLIST_H
#define K3_COMMON_STLIST_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define K3_STLIST_MAX 65000

/* All zeros is an empty list. */
struct k3_stlist {
	char **name; /* [n], without folder */
	unsigned n, cap;
	uint16_t *slot; /* [nslot] hash table of number + 1, 0: free */
	unsigned nslot;
	unsigned last; /* what was asked for last: it mostly is again */
};

/*
 * The number of a file, which is added if it is new.  -1 if a name is none for
 * a file in the folder: empty, with a slash or control character, "." or "..".
 */
int k3_stlist_add(struct k3_stlist *list, const char *name, size_t len,
    struct k3_err *err);

/*
 * The files of a folder without an index: model.safetensors, or all of
 * model-NNNNN-of-NNNNNN.safetensors.  0 or -1; where shards are missing, that
 * is -1 too, with those that are there in the list.
 */
int k3_stlist_folder(struct k3_stlist *list, const char *dir,
    struct k3_err *err);

void k3_stlist_fini(struct k3_stlist *list);

#endif
