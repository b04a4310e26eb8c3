/*
 * sha256.c - the vectors of FIPS 180-4, in pieces too
 */
#include <string.h>

#include "common/sha256.h"
#include "tests/tap.h"

static struct k3_err err;

static void
check(const char *name, const char *data, size_t len, unsigned times,
    const char *want)
{
	struct k3_sha256 *sha = k3_sha256_open(&err);
	uint8_t out[K3_SHA256];
	char hex[2 * K3_SHA256 + 1];
	bool good = sha != NULL;

	/* What came before must not matter. */
	good = good && k3_sha256_add(sha, "x", 1, &err) == 0 &&
	       k3_sha256_reset(sha, &err) == 0;
	for (unsigned i = 0; good && i < times; i++)
		good = k3_sha256_add(sha, data, len, &err) == 0;
	good = good && k3_sha256_get(sha, out, &err) == 0;
	for (unsigned i = 0; good && i < K3_SHA256; i++)
		snprintf(hex + 2 * i, 3, "%02x", out[i]);
	if (!ok(good && strcmp(hex, want) == 0, "%s", name))
		diag("got %s, want %s", good ? hex : err.msg, want);
	k3_sha256_close(sha);
}

int
main(void)
{
	check("nothing", "", 0, 1,
	    "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855");
	check("abc", "abc", 3, 1,
	    "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad");
	check("a million times a", "aaaaaaaaaaaaaaaa", 16, 62500,
	    "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0");
	k3_sha256_close(NULL);
	return tap_done();
}
