/*
 * sthead.h - the header of a safetensors file, tensor by tensor
 *
 * A file is a 64-bit little-endian length, that many bytes of JSON, an object
 * of name -> {dtype, shape, data_offsets}, and the data, to which offsets are
 * relative.  This reads the JSON and checks its form; what the numbers and
 * names mean, and duplicate names, are the caller's to judge.
 */
#ifndef K3_COMMON_STHEAD_H
#define K3_COMMON_STHEAD_H

#include "common/scan.h"

/* As the safetensors library has it.  K3's largest header has 1.2 MB. */
#define K3_STHEAD_MAX ((uint64_t)100 * 1000 * 1000)

#define K3_STHEAD_NAME 256
#define K3_STHEAD_DIMS 8

struct k3_sthead {
	struct k3_scan *scan;
	uint64_t data; /* offset of the data in the file */
	bool first;
};

/* Names and dtypes are ended by a NUL, and cut where they are too long. */
struct k3_stentry {
	char name[K3_STHEAD_NAME];
	size_t len; /* of the name, before the cut */
	char dtype[16];
	unsigned ndim; /* of dim, the first K3_STHEAD_DIMS are kept */
	uint64_t dim[K3_STHEAD_DIMS];
	uint64_t begin, end; /* from 'data' */
};

/*
 * Begin: the file 'fd' of 'size' bytes, or the JSON alone from memory (then
 * 'data' is 0).  0 or -1.
 */
int k3_sthead_open(struct k3_sthead *head, struct k3_scan *scan,
    const char *name, int fd, uint64_t size);
int k3_sthead_memory(struct k3_sthead *head, struct k3_scan *scan,
    const char *name, const char *text, size_t len);

/* The next tensor: 1, or 0 after the last, or -1. */
int k3_sthead_next(struct k3_sthead *head, struct k3_stentry *entry);

#endif
