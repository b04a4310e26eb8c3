/*
 * tok-vectors.c - Kimi K3's own tokenizer: vectors made with the original
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"
#include "common/tok.h"
#include "tests/tap.h"

#define MODEL   "../shared/data/kimi-k3"
#define VECTORS "../shared/data/vectors/tokens.jsonl"

static int
put(void *arg, const uint32_t *id, size_t n, struct k3_err *err)
{
	return k3_buf_put(arg, id, n * sizeof(*id), err);
}

/* Are the IDs of the text those in 'want'?  And back again? */
static bool
check_ids(struct k3_encode *enc, bool special, const char *text, size_t len,
    const struct k3_json *want)
{
	struct k3_buf *got = enc->arg;
	const char *bytes;
	struct k3_err err;
	uint32_t id;
	size_t n;

	got->len = 0;
	enc->special = special;
	if (k3_encode_feed(enc, text, len, &err) != 0 ||
	    k3_encode_end(enc, &err) != 0 ||
	    got->len / sizeof(id) != k3_json_size(want))
		return false;
	for (size_t i = 0; i < k3_json_size(want); i++) {
		memcpy(&id, got->data + i * sizeof(id), sizeof(id));
		if (id != k3_json_int(k3_json_at(want, i)))
			return false;
		bytes = k3_tok_bytes(enc->tok, id, &n);
		if (n > len || memcmp(bytes, text, n) != 0)
			return false;
		text += n;
		len -= n;
	}
	return len == 0;
}

static bool
check_pieces(const char *text, size_t len, const struct k3_json *want)
{
	size_t n, i = 0;

	for (; len > 0; text += n, len -= n, i++) {
		const char *piece = k3_json_string(k3_json_at(want, i), &n);

		if (piece == NULL || n != k3_pretok(text, len) ||
		    memcmp(piece, text, n) != 0)
			return false;
	}
	return i == k3_json_size(want);
}

/* One line; counts what it has of each kind. */
static bool
check_line(struct k3_encode *enc, const struct k3_json *line, size_t count[3])
{
	const struct k3_json *special = k3_json_get(line, "ids_special");
	const struct k3_json *pieces = k3_json_get(line, "pieces");
	size_t len;
	const char *text = k3_json_string(k3_json_get(line, "text"), &len);

	if (text == NULL ||
	    !check_ids(enc, false, text, len, k3_json_get(line, "ids")))
		return false;
	count[0]++;
	if (special != NULL && !check_ids(enc, true, text, len, special))
		return false;
	count[1] += special != NULL;
	if (pieces != NULL && !check_pieces(text, len, pieces))
		return false;
	count[2] += pieces != NULL;
	return true;
}

static void
check_file(const struct k3_tok *tok, const struct k3_buf *file)
{
	struct k3_buf got = { 0 };
	struct k3_encode enc;
	struct k3_err err;
	size_t count[3] = { 0 };
	int nbad = 0;

	k3_encode_init(&enc, tok, false, put, &got);
	for (const char *p = file->data, *end = p + file->len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl != NULL ? (size_t)(nl - p) : (size_t)(end - p);
		struct k3_json *line =
		    len > 0 ? k3_json_parse(p, len, VECTORS, &err) : NULL;

		if (len > 0 && !check_line(&enc, line, count)) {
			nbad++;
			diag("%.*s", (int)(len < 200 ? len : 200), p);
		}
		k3_json_free(line);
		p += len + 1;
	}
	ok(nbad == 0, "no vector is wrong");
	ok(count[0] == 1565, "%zu texts", count[0]);
	ok(count[1] == 425, "%zu with special tokens", count[1]);
	ok(count[2] == 31, "%zu split into pieces", count[2]);
	k3_encode_fini(&enc);
	k3_buf_fini(&got);
}

int
main(void)
{
	struct k3_buf file = { 0 };
	struct k3_tok tok;
	struct k3_err err;

	if (access(VECTORS, R_OK) != 0 || access(MODEL, R_OK) != 0) {
		skip("vectors of the original tokenizer",
		    VECTORS " is not there");
		return tap_done();
	}
	if (ok(k3_tok_open(&tok, MODEL, &err) == 0 &&
		    k3_buf_load(&file, VECTORS, &err) == 0,
		"the tokenizer and its vectors")) {
		ok(tok.vocab.n == 163584 && tok.size == 163840,
		    "163584 ranks and 256 special tokens");
		check_file(&tok, &file);
		k3_tok_close(&tok);
	} else {
		diag("%s", err.msg);
	}
	k3_buf_fini(&file);
	return tap_done();
}
