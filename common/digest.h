/*
 * digest.h - XXH3, in one go or piece by piece
 *
 * The digest of some bytes does not depend on how they were cut into pieces.
 * A 64-bit digest is a number, which "xxhsum -H3" prints in hexadecimal; a
 * 128-bit one is 16 bytes in the order in which "xxhsum -H2" prints them.
 * They find damage, not malice: XXH3 is no cryptographic hash.
 */
#ifndef K3_COMMON_DIGEST_H
#define K3_COMMON_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define K3_DIGEST128 16

/* Of 'len' bytes; 'data' may be NULL if there are none. */
uint64_t k3_digest64(const void *data, size_t len);
void k3_digest128(const void *data, size_t len, uint8_t out[K3_DIGEST128]);

/* Of bytes that come in pieces; one kind of result per struct k3_digest. */
struct k3_digest; /* opaque */

enum k3_digest_bits {
	K3_DIGEST_64,
	K3_DIGEST_128,
};

/* NULL when memory is short, with 'err' filled in.  close takes NULL too. */
struct k3_digest *k3_digest_open(enum k3_digest_bits bits, struct k3_err *err);
void k3_digest_close(struct k3_digest *d);

/* Forget all pieces. */
void k3_digest_reset(struct k3_digest *d);
void k3_digest_add(struct k3_digest *d, const void *data, size_t len);

/* The digest of the pieces so far; more may follow. */
uint64_t k3_digest_get64(const struct k3_digest *d);
void k3_digest_get128(const struct k3_digest *d, uint8_t out[K3_DIGEST128]);

/* Hexadecimal, and a NUL. */
#define K3_HEX128 33
void k3_digest_hex(const uint8_t digest[K3_DIGEST128], char out[K3_HEX128]);

#endif
