/*
 * digest.c - XXH3 against known values, and whatever the pieces
 */
#include <string.h>

#include "common/digest.h"
#include "tests/tap.h"

/*
 * Of n bytes i * 131 mod 251; computed by the reference implementation,
 * xxhsum 0.8.1 -H3 and -H2.
 */
static const struct {
	size_t len;
	uint64_t bits64;
	const char *bits128;
} known[] = {
	{ 0, 0x2d06800538d394c2, "99aa06d3014798d86001c324468d497f" },
	{ 1, 0xc44bdff4074eecdb, "a6cd5e9392000f6ac44bdff4074eecdb" },
	{ 17, 0xc5bc95c990fc83b4, "ae2ff3252c52ad5ea10cdcc2393322b0" },
	{ 200, 0xfe0a0685f97a170f, "09379a0a68989d60f8ce3269bf0d5541" },
	{ 240, 0x4da2ab7921d06c5e, "79eeb64cc139b65a64acbec064796cc2" },
	{ 241, 0x179ead905bf75a05, "8c10a157d96fb846179ead905bf75a05" },
	{ 1024, 0x89afebe614a926d7, "b42ec12dd784ee7089afebe614a926d7" },
	{ 5000, 0xaef85543bf6dc334, "b11791e61832c1bdaef85543bf6dc334" },
};

int
main(void)
{
	uint8_t data[5000], out[K3_DIGEST128];
	char hex[K3_HEX128];
	struct k3_digest *a, *b;
	struct k3_err err;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 131 % 251);
	a = k3_digest_open(K3_DIGEST_64, &err);
	b = k3_digest_open(K3_DIGEST_128, &err);
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		size_t len = known[k].len;

		ok(k3_digest64(data, len) == known[k].bits64,
		    "64 bits of %zu bytes", len);
		k3_digest128(data, len, out);
		k3_digest_hex(out, hex);
		ok(strcmp(hex, known[k].bits128) == 0, "128 bits of %zu bytes",
		    len);
		for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
			bool same;

			k3_digest_reset(a);
			k3_digest_reset(b);
			for (size_t i = 0; i < len; i += piece) {
				size_t n = len - i < piece ? len - i : piece;

				k3_digest_add(a, data + i, n);
				k3_digest_add(b, data + i, n);
			}
			same = k3_digest_get64(a) == known[k].bits64;
			k3_digest_get128(b, out);
			k3_digest_hex(out, hex);
			ok(same && strcmp(hex, known[k].bits128) == 0,
			    "%zu bytes, %zu at a time", len, piece);
		}
	}
	ok(k3_digest64(NULL, 0) == known[0].bits64, "no bytes at all");
	k3_digest_close(a);
	k3_digest_close(b);
	k3_digest_close(NULL);
	return tap_done();
}
