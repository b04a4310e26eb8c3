/*
 * sha256.c - SHA-256, piece by piece
 */
#include <stdlib.h>

#include <openssl/evp.h>

#include "common/sha256.h"

struct k3_sha256 {
	EVP_MD_CTX *ctx;
};

static int
fail(struct k3_err *err)
{
	return k3_fail(err, EX_OSERR, "cannot compute SHA-256");
}

struct k3_sha256 *
k3_sha256_open(struct k3_err *err)
{
	struct k3_sha256 *sha = malloc(sizeof(*sha));

	if (sha == NULL || (sha->ctx = EVP_MD_CTX_new()) == NULL) {
		free(sha);
		fail(err);
		return NULL;
	}
	if (k3_sha256_reset(sha, err) == 0)
		return sha;
	k3_sha256_close(sha);
	return NULL;
}

void
k3_sha256_close(struct k3_sha256 *sha)
{
	if (sha == NULL)
		return;
	EVP_MD_CTX_free(sha->ctx);
	free(sha);
}

int
k3_sha256_reset(struct k3_sha256 *sha, struct k3_err *err)
{
	return EVP_DigestInit_ex(sha->ctx, EVP_sha256(), NULL) == 1 ? 0
								    : fail(err);
}

int
k3_sha256_add(struct k3_sha256 *sha, const void *data, size_t len,
    struct k3_err *err)
{
	return EVP_DigestUpdate(sha->ctx, data, len) == 1 ? 0 : fail(err);
}

int
k3_sha256_get(struct k3_sha256 *sha, uint8_t out[K3_SHA256], struct k3_err *err)
{
	return EVP_DigestFinal_ex(sha->ctx, out, NULL) == 1 ? 0 : fail(err);
}
