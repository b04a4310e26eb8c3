/*
 * sha256.h - SHA-256, piece by piece
 *
 * For lists of digests that come with a download; all digests of our own are
 * digest.h's, which take a tenth of the time.
 */
#ifndef K3_COMMON_SHA256_H
#define K3_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define K3_SHA256 32

struct k3_sha256; /* opaque */

/* NULL with EX_OSERR.  close takes NULL too. */
struct k3_sha256 *k3_sha256_open(struct k3_err *err);
void k3_sha256_close(struct k3_sha256 *sha);

/* Forget all pieces; add one.  0, or -1 with EX_OSERR. */
int k3_sha256_reset(struct k3_sha256 *sha, struct k3_err *err);
int k3_sha256_add(struct k3_sha256 *sha, const void *data, size_t len,
    struct k3_err *err);

/* Of the pieces; reset comes next. */
int k3_sha256_get(struct k3_sha256 *sha, uint8_t out[K3_SHA256],
    struct k3_err *err);

#endif
