/*
 * sums.h - lists of files with their SHA-256
 *
 * Either as sha256sum(1) writes them, digest, two blanks (or a blank and a
 * star) and name; or as k3-download does, digest, size and name with tabs
 * between, where the digest may be one of another kind, or "-".  Lines that
 * begin with # are skipped.
 */
#ifndef K3_COMMON_SUMS_H
#define K3_COMMON_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/sha256.h"

struct k3_sum {
	char *name; /* without folder, or in one below; no ".." */
	uint64_t size;
	bool has_size, has_digest;
	uint8_t digest[K3_SHA256];
};

struct k3_sums {
	struct k3_sum *sum;
	size_t n, cap;
};

/* Lines of a list, at most.  K3's has 120. */
#define K3_SUMS_MAX 65536

/*
 * Read a whole list.  0, or -1 with EX_DATAERR ("'FILE' line N: ..."), EX_IOERR
 * or EX_OSERR.  A name must not lead out of its folder nor occur twice.
 * k3_sums_fini() in any case.
 */
int k3_sums_read(struct k3_sums *sums, FILE *fp, const char *name,
    struct k3_err *err);
void k3_sums_fini(struct k3_sums *sums);

#endif
