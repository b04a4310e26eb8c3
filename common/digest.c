/*
 * digest.c - XXH3, in one go or piece by piece
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/digest.h"

struct k3_digest {
	XXH3_state_t *state;
	enum k3_digest_bits bits;
};

static void
canonical(XXH128_hash_t hash, uint8_t out[K3_DIGEST128])
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, hash);
	memcpy(out, c.digest, K3_DIGEST128);
}

uint64_t
k3_digest64(const void *data, size_t len)
{
	return XXH3_64bits(len > 0 ? data : "", len);
}

void
k3_digest128(const void *data, size_t len, uint8_t out[K3_DIGEST128])
{
	canonical(XXH3_128bits(len > 0 ? data : "", len), out);
}

struct k3_digest *
k3_digest_open(enum k3_digest_bits bits, struct k3_err *err)
{
	struct k3_digest *d = malloc(sizeof(*d));

	/* The state wants an alignment that only its own allocator knows. */
	if (d == NULL || (d->state = XXH3_createState()) == NULL) {
		free(d);
		k3_fail(err, EX_OSERR, "cannot allocate a digest");
		return NULL;
	}
	d->bits = bits;
	k3_digest_reset(d);
	return d;
}

void
k3_digest_close(struct k3_digest *d)
{
	if (d == NULL)
		return;
	XXH3_freeState(d->state);
	free(d);
}

void
k3_digest_reset(struct k3_digest *d)
{
	if (d->bits == K3_DIGEST_64)
		XXH3_64bits_reset(d->state);
	else
		XXH3_128bits_reset(d->state);
}

void
k3_digest_add(struct k3_digest *d, const void *data, size_t len)
{
	if (len == 0)
		return;
	if (d->bits == K3_DIGEST_64)
		XXH3_64bits_update(d->state, data, len);
	else
		XXH3_128bits_update(d->state, data, len);
}

uint64_t
k3_digest_get64(const struct k3_digest *d)
{
	assert(d->bits == K3_DIGEST_64);
	return XXH3_64bits_digest(d->state);
}

void
k3_digest_get128(const struct k3_digest *d, uint8_t out[K3_DIGEST128])
{
	assert(d->bits == K3_DIGEST_128);
	canonical(XXH3_128bits_digest(d->state), out);
}

void
k3_digest_hex(const uint8_t digest[K3_DIGEST128], char out[K3_HEX128])
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < K3_DIGEST128; i++) {
		out[2 * i] = digit[digest[i] >> 4];
		out[2 * i + 1] = digit[digest[i] & 15];
	}
	out[K3_HEX128 - 1] = '\0';
}
