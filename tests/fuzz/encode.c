/*
 * encode.c - any bytes to IDs and back, at once and byte by byte
 *
 * The first byte's lowest bit says whether special tokens are recognised.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/tok.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
put(void *arg, const uint32_t *id, size_t n, struct k3_err *err)
{
	return k3_buf_put(arg, id, n * sizeof(*id), err);
}

static void
encode(const struct k3_tok *tok, bool special, const char *text, size_t len,
    size_t slice, struct k3_buf *out)
{
	struct k3_encode enc;
	struct k3_err err;

	k3_encode_init(&enc, tok, special, put, out);
	for (size_t i = 0, n; i < len; i += n) {
		n = len - i < slice ? len - i : slice;
		if (k3_encode_feed(&enc, text + i, n, &err) != 0)
			abort();
	}
	if (k3_encode_end(&enc, &err) != 0)
		abort();
	k3_encode_fini(&enc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct k3_tok tok;
	struct k3_buf whole = { 0 }, sliced = { 0 };
	const char *text = (const char *)data + 1;
	struct k3_err err;
	size_t n;

	if (size == 0 ||
	    (tok.size == 0 &&
		k3_tok_open(&tok, "tests/golden/good/tok-mini", &err) != 0))
		return 0;
	size--;
	encode(&tok, data[0] & 1, text, size, size, &whole);
	encode(&tok, data[0] & 1, text, size, 1, &sliced);
	if (whole.len != sliced.len ||
	    (size > 0 && memcmp(whole.data, sliced.data, whole.len) != 0))
		abort();
	for (size_t i = 0; i < whole.len; i += sizeof(uint32_t)) {
		const char *bytes;
		uint32_t id;

		memcpy(&id, whole.data + i, sizeof(id));
		bytes = k3_tok_bytes(&tok, id, &n);
		if (n > size || memcmp(text, bytes, n) != 0)
			abort();
		text += n;
		size -= n;
	}
	if (size != 0)
		abort();
	k3_buf_fini(&whole);
	k3_buf_fini(&sliced);
	return 0;
}
