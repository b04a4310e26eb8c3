/*
 * stimpl.h - what an open checkpoint is made of: for what makes one
 *
 * 497,052 tensors are needed of K3, nearly all of them parts of experts, whose
 * lengths are known: a slot of 8 bytes each has the file and the offset.
 */
#ifndef K3_COMMON_STIMPL_H
#define K3_COMMON_STIMPL_H

#include <sys/types.h>

#include "common/st.h"
#include "common/stlist.h"

/*
 * A slot is off << 16 | file + 1, and 0 while nothing is known.  An offset of
 * K3_ST_NOWHERE says that the index names the file, which is not read yet; one
 * of K3_ST_TOLD that the tensor is wrong, and that it was said.
 */
#define K3_ST_NOWHERE (((uint64_t)1 << 48) - 1)
#define K3_ST_TOLD    (K3_ST_NOWHERE - 1)

/* The first files stay open; the process may need descriptors for more. */
#define K3_ST_KEEP 128

struct k3_st_file {
	char *path;
	uint64_t size;
	dev_t dev;
	ino_t ino;
	int fd;   /* -1: opened for each read */
	bool bad; /* it could not be read in full, and that was said */
};

struct k3_st {
	const struct k3_cfg *cfg;
	struct k3_stlist list;
	struct k3_st_file *file; /* [list.n] */
	uint64_t *dense;         /* [nlayer + 1][K3_NTENSOR] slots */
	uint8_t *dtype;          /* [nlayer + 1][K3_NTENSOR] */
	uint64_t *part;          /* [nlayer - ndense][experts][K3_NPART] */
	uint64_t need, found;    /* tensors: wanted by cfg, and in a slot */
	uint64_t bytes, count;   /* of all files; of tensors in them */
	bool presumed;           /* there are no files */
};

/* Room for all slots, and how many are needed.  0, or -1: out of memory. */
int k3_st_slots(struct k3_st *st);

/* Open a file again: it must still be the one that was indexed.  A descriptor
 * to close, or -1. */
int k3_st_reopen(const struct k3_st_file *file, struct k3_err *err);

#endif
