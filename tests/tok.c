/*
 * tok.c - the tokenizer of a model folder
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ids.h"
#include "common/tok.h"
#include "tests/tap.h"

#define MINI "tests/golden/good/tok-mini"
#define BAD  "tests/golden/bad"

static uint64_t rng = 1;

static uint32_t
rnd(void)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 32);
}

static int
put(void *arg, const uint32_t *id, size_t n, struct k3_err *err)
{
	return k3_buf_put(arg, id, n * sizeof(*id), err);
}

/* Encode in slices of up to 'most' bytes, after what 'out' has. */
static void
encode(const struct k3_tok *tok, bool special, const char *text, size_t len,
    size_t most, struct k3_buf *out)
{
	struct k3_encode enc;
	struct k3_err err = { 0 };
	int status = 0;

	k3_encode_init(&enc, tok, special, put, out);
	for (size_t i = 0, n; i < len && status == 0; i += n) {
		n = 1 + rnd() % most;
		if (n > len - i)
			n = len - i;
		status = k3_encode_feed(&enc, text + i, n, &err);
	}
	if (status != 0 || k3_encode_end(&enc, &err) != 0)
		diag("cannot encode: %s", err.msg);
	k3_encode_fini(&enc);
}

static bool
same(const struct k3_buf *a, const struct k3_buf *b)
{
	return a->len == b->len &&
	       (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* Do the IDs give back the text? */
static bool
gives(const struct k3_tok *tok, const struct k3_buf *ids, const char *text,
    size_t len)
{
	size_t n;

	for (size_t i = 0; i < ids->len; i += sizeof(uint32_t)) {
		const char *bytes;
		uint32_t id;

		memcpy(&id, ids->data + i, sizeof(id));
		bytes = k3_tok_bytes(tok, id, &n);
		if (id >= tok->size || n > len || memcmp(bytes, text, n) != 0)
			return false;
		text += n;
		len -= n;
	}
	return len == 0;
}

static void
check_ids(const struct k3_tok *tok)
{
	size_t len;

	ok(tok->size == 320 && tok->vocab.n == 304, "ranks and special IDs");
	ok(!k3_tok_special(tok, 303) && k3_tok_special(tok, 304) &&
		k3_tok_special(tok, 319),
	    "which of them are special");
	ok(memcmp(k3_tok_bytes(tok, 269, &len), " the", 4) == 0 && len == 4,
	    "a token's bytes");
	ok(memcmp(k3_tok_bytes(tok, 307, &len), "<|open|>", 8) == 0 && len == 8,
	    "a special token's name");
	ok(memcmp(k3_tok_bytes(tok, 318, &len), "<|reserved_token_318|>", 22) ==
		    0 &&
		len == 22,
	    "a reserved one's");
}

static void
check_samples(const struct k3_tok *tok)
{
	static const struct {
		const char *what, *text;
		bool special;
		uint32_t want[12];
		size_t n;
	} t[] = {
		{ "nothing", "", true, { 0 }, 0 },
		{ "words", "the the", false, { 83, 71, 68, 269 }, 4 },
		{ "special tokens recognised", "<|open|>on[BOS]", true,
		    { 307, 262, 304 }, 3 },
		{ "or not", "[BOS]", false, { 58, 33, 46, 50, 60 }, 5 },
		{ "a special token is a hard boundary", " <|sep|> ", true,
		    { 220, 309, 220 }, 3 },
		{ "reserved ones are recognised", "<|reserved_token_310|>",
		    true, { 310 }, 1 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct k3_buf got = { 0 };
		const size_t len = t[i].n * sizeof(uint32_t);

		encode(tok, t[i].special, t[i].text, strlen(t[i].text), 1,
		    &got);
		ok(got.len == len &&
			(len == 0 || memcmp(got.data, t[i].want, len) == 0),
		    "%s", t[i].what);
		k3_buf_fini(&got);
	}
}

/* Any bytes come back, however they are sliced. */
static bool
check_random(const struct k3_tok *tok, bool special)
{
	static const char *atom[] = { "the ", "\n", "  ", "12", "\xe4\xb8\xad",
		"\xe6\x96\x87", "\xcc\x81", "<|open|>", "<|", "[BOS]", "\xff",
		"\xe4\xb8", "'s", "A" };
	bool good = true;

	for (int round = 0; good && round < 2000; round++) {
		struct k3_buf text = { 0 }, whole = { 0 }, sliced = { 0 };
		struct k3_err err;

		for (unsigned n = rnd() % 40; n > 0; n--) {
			const char *a =
			    atom[rnd() % (sizeof(atom) / sizeof(atom[0]))];
			char byte = (char)rnd();

			if (rnd() % 8 == 0)
				k3_buf_put(&text, &byte, 1, &err);
			else
				k3_buf_put(&text, a, strlen(a), &err);
		}
		encode(tok, special, text.data, text.len, 1000, &whole);
		encode(tok, special, text.data, text.len, 5, &sliced);
		good = same(&whole, &sliced) &&
		       gives(tok, &whole, text.data, text.len);
		k3_buf_fini(&text);
		k3_buf_fini(&whole);
		k3_buf_fini(&sliced);
	}
	return good;
}

/* A text with a cut behind 'cut' bytes is its two parts, each alone. */
static bool
is_cut(const struct k3_tok *tok, const char *text, size_t len, size_t cut)
{
	struct k3_buf whole = { 0 }, parts = { 0 };
	bool good;

	encode(tok, true, text, len, 100000, &whole);
	encode(tok, true, text, cut, 100000, &parts);
	encode(tok, true, text + cut, len - cut, 100000, &parts);
	good = same(&whole, &parts) && gives(tok, &whole, text, len);
	k3_buf_fini(&whole);
	k3_buf_fini(&parts);
	return good;
}

static bool
has(const struct k3_buf *ids, uint32_t id)
{
	for (size_t i = 0; i < ids->len; i += sizeof(id))
		if (memcmp(ids->data + i, &id, sizeof(id)) == 0)
			return true;
	return false;
}

static void
check_cut(const struct k3_tok *tok)
{
	struct k3_buf text = { 0 }, got = { 0 };
	size_t len = 500000;
	struct k3_err err;
	char *t;

	k3_buf_need(&text, len, &err);
	t = text.data;
	memset(t, 't', K3_CUT_RUN + 10);
	memcpy(t + K3_CUT_RUN - 1, "he", 2);
	ok(is_cut(tok, t, K3_CUT_RUN + 10, K3_CUT_RUN),
	    "a run of 25000 symbols is cut");
	memcpy(t + K3_CUT_RUN - 4, "<|open|>", 8);
	encode(tok, true, t, K3_CUT_RUN + 10, 100000, &got);
	ok(is_cut(tok, t, K3_CUT_RUN + 10, K3_CUT_RUN) && !has(&got, 307),
	    "a special token across a cut is none");
	for (size_t i = 0; i < len; i++)
		t[i] = "the (in) "[i % 9];
	ok(is_cut(tok, t, len, K3_CUT_CHUNK),
	    "a chunk of 400000 symbols is cut");
	k3_buf_fini(&text);
	k3_buf_fini(&got);
}

/* The folder 'dir' must not open, for this reason. */
static void
refused(const char *dir, int code, const char *part)
{
	struct k3_tok tok;
	struct k3_err err = { 0 };

	if (!ok(k3_tok_open(&tok, dir, &err) == -1 && err.code == code &&
		    strstr(err.msg, part) != NULL,
		"%s is refused", dir))
		diag("got %d \"%s\"", err.code, err.msg);
}

static void
check_bad(void)
{
	refused("/nonexistent", EX_NOINPUT, "tiktoken.model'");
	refused(BAD "/tok-no-config", EX_NOINPUT, "/config.json'");
	refused(BAD "/tok-no-names", EX_NOINPUT, "/tokenizer_config.json'");
	refused(BAD "/tok-size", EX_DATAERR, "vocab_size: not a number");
	refused(BAD "/tok-rank-twice", EX_DATAERR, "line 300: rank 298");
	refused(BAD "/tok-token-twice", EX_DATAERR, "line 300: rank 299");
	refused(BAD "/tok-no-byte", EX_DATAERR, "a token for byte 10");
	refused(BAD "/tok-name", EX_DATAERR, "added_tokens_decoder: '303'");
}

int
main(void)
{
	struct k3_tok tok;
	struct k3_err err;

	if (!ok(k3_tok_open(&tok, MINI, &err) == 0, "a folder is opened")) {
		diag("%s", err.msg);
		return tap_done();
	}
	check_ids(&tok);
	check_samples(&tok);
	ok(check_random(&tok, false), "any bytes come back");
	ok(check_random(&tok, true), "also with special tokens");
	check_cut(&tok);
	k3_tok_close(&tok);
	check_bad();
	return tap_done();
}
