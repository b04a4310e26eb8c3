/*
 * stindex.h - model.safetensors.index.json, entry by entry
 *
 * An object whose "weight_map" is an object of tensor name -> file name; its
 * other keys are skipped.  Duplicate names are the caller's to judge.
 */
#ifndef K3_COMMON_STINDEX_H
#define K3_COMMON_STINDEX_H

#include "common/scan.h"

#define K3_STINDEX_NAME 256

struct k3_stindex {
	struct k3_scan *scan;
	bool first, in_map, map_first, seen;
	/* The entry; names are ended by a NUL, and cut where too long. */
	char name[K3_STINDEX_NAME], file[K3_STINDEX_NAME];
	size_t len, file_len; /* before the cut */
};

/* Begin: 'size' bytes of file 'fd', or from memory.  0 or -1. */
int k3_stindex_open(struct k3_stindex *index, struct k3_scan *scan,
    const char *name, int fd, uint64_t size);
int k3_stindex_memory(struct k3_stindex *index, struct k3_scan *scan,
    const char *name, const char *text, size_t len);

/* The next entry: 1, or 0 after the last, or -1. */
int k3_stindex_next(struct k3_stindex *index);

#endif
