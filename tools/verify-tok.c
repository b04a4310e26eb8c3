/*
 * verify-tok.c - does a tokenizer give back what it was given?
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "tools/verify-tok.h"

static const char *const samples[] = {
	"The capital of France is",
	"  leading blanks,\ttabs,\r\nends of lines\n\n\n  and more \n",
	"it's, they'LL, don\u2019t; camelCase HTTPServer x86_64",
	"1 12 123 1234 12345 3.14159 1,000,000 0x1F \u00bd",
	"\u4e2d\u6587\u5b57\u3002\u65e5\u672c\u8a9e\u3067\u3059 "
	"\ud55c\uad6d\uc5b4 ABC\ud55c\uad6dDEF",
	"na\u00efve caf\u00e9 e\u0301 \u0410\u0411\u0412 \u03b1\u03b2\u03b3 "
	"\u05e9\u05dc\u05d5\u05dd \u0633\u0644\u0627\u0645",
	"\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \u00a0\u3000\u2028",
	"int main(void) { return a[i++] != 0 ? -1 : 0x7f; } // !!!???...",
	"\xc3\x28 \xff\xfe \xf0\x9f\x98 \xed\xa0\x80 not UTF-8",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One text after the other, with what is needed again and again. */
struct round {
	const struct k3_tok *tok;
	struct k3_encode enc;
	struct k3_buf id;
	struct ladder_rung *rung;
};

static int
put(void *arg, const uint32_t *id, size_t n, struct k3_err *err)
{
	return k3_buf_put(arg, id, n * sizeof(*id), err);
}

static void
round_open(struct round *r, const struct k3_tok *tok, struct ladder_rung *rung)
{
	memset(r, 0, sizeof(*r));
	r->tok = tok;
	r->rung = rung;
	k3_encode_init(&r->enc, tok, false, put, &r->id);
}

static void
round_close(struct round *r)
{
	k3_encode_fini(&r->enc);
	k3_buf_fini(&r->id);
}

static int
encode(struct round *r, bool special, const char *text, size_t len,
    struct k3_err *err)
{
	r->id.len = 0;
	r->enc.special = special;
	if (k3_encode_feed(&r->enc, text, len, err) != 0)
		return -1;
	return k3_encode_end(&r->enc, err);
}

static size_t
length(const struct round *r)
{
	return r->id.len / sizeof(uint32_t);
}

static uint32_t
at(const struct round *r, size_t i)
{
	uint32_t id;

	memcpy(&id, r->id.data + i * sizeof(id), sizeof(id));
	return id;
}

/* Are the IDs' bytes the text, and none of them special, unless that may be? */
static bool
gives_back(const struct round *r, bool special, const char *text, size_t len)
{
	for (size_t i = 0; i < length(r); i++) {
		uint32_t id = at(r, i);
		const char *bytes;
		size_t n;

		if (id >= r->tok->size ||
		    (!special && k3_tok_special(r->tok, id)))
			return false;
		bytes = k3_tok_bytes(r->tok, id, &n);
		if (n > len || memcmp(bytes, text, n) != 0)
			return false;
		text += n;
		len -= n;
	}
	return len == 0;
}

__attribute__((format(printf, 3, 4))) static void
count(struct ladder_rung *rung, bool good, const char *fmt, ...)
{
	va_list ap;

	rung->of++;
	rung->good += good;
	if (good || rung->first[0] != '\0')
		return;
	va_start(ap, fmt);
	vsnprintf(rung->first, sizeof(rung->first), fmt, ap);
	va_end(ap);
}

int
tok_encode(const struct k3_tok *tok, bool special, const char *text, size_t len,
    struct k3_buf *id, struct k3_err *err)
{
	struct round r;
	int ret;

	round_open(&r, tok, NULL);
	ret = encode(&r, special, text, len, err);
	*id = r.id;
	memset(&r.id, 0, sizeof(r.id));
	round_close(&r);
	return ret;
}

static int
round_bytes(struct round *r, struct k3_err *err)
{
	char all[256];

	for (unsigned i = 0; i < 256; i++) {
		all[i] = (char)i;
		if (encode(r, false, &all[i], 1, err) != 0)
			return -1;
		count(r->rung, gives_back(r, false, &all[i], 1),
		    "byte %u does not come back", i);
	}
	if (encode(r, false, all, sizeof(all), err) != 0)
		return -1;
	count(r->rung, gives_back(r, false, all, sizeof(all)),
	    "all 256 bytes, in a row, do not come back");
	for (size_t i = 0; i < COUNT(samples); i++) {
		if (encode(r, false, samples[i], strlen(samples[i]), err) != 0)
			return -1;
		count(r->rung,
		    gives_back(r, false, samples[i], strlen(samples[i])),
		    "sample %zu does not come back", i);
	}
	return 0;
}

/* A token's bytes, or a special name as mere text: other IDs may be theirs. */
static int
round_token(struct round *r, uint32_t id, struct k3_err *err)
{
	size_t len;
	const char *bytes = k3_tok_bytes(r->tok, id, &len);

	if (encode(r, false, bytes, len, err) != 0)
		return -1;
	count(r->rung, gives_back(r, false, bytes, len),
	    "the bytes of ID %" PRIu32 " do not come back", id);
	if (!k3_tok_special(r->tok, id))
		return 0;
	if (encode(r, true, bytes, len, err) != 0)
		return -1;
	count(r->rung, length(r) == 1 && at(r, 0) == id,
	    "the name of special ID %" PRIu32 " is not taken for it", id);
	return 0;
}

int
tok_round(const struct k3_tok *tok, struct ladder_rung *rung,
    struct k3_err *err)
{
	struct round r;
	int ret;

	round_open(&r, tok, rung);
	ret = round_bytes(&r, err);
	for (uint32_t id = 0; id < tok->size && ret == 0; id++)
		ret = round_token(&r, id, err);
	round_close(&r);
	return ret;
}

/* -1 for what is no whole number: no ID either. */
static int64_t
number(const struct k3_json *json)
{
	return k3_json_type(json) == K3_JSON_INT ? k3_json_int(json) : -1;
}

static bool
is_array(const struct k3_json *json)
{
	return json != NULL && k3_json_type(json) == K3_JSON_ARRAY;
}

/* -1: failed; else whether the text has these IDs, and they the text. */
static int
agrees(struct round *r, bool special, const struct k3_json *text,
    const struct k3_json *want, struct k3_err *err)
{
	size_t len;
	const char *bytes = k3_json_string(text, &len);

	if (encode(r, special, bytes, len, err) != 0)
		return -1;
	if (length(r) != k3_json_size(want))
		return 0;
	for (size_t i = 0; i < length(r); i++)
		if (at(r, i) != number(k3_json_at(want, i)))
			return 0;
	return gives_back(r, special, bytes, len);
}

static int
vector(struct round *r, const struct k3_json *json, const char *path,
    uint64_t line, struct k3_err *err)
{
	const struct k3_json *text = k3_json_get(json, "text");
	const struct k3_json *ids = k3_json_get(json, "ids");
	const struct k3_json *special = k3_json_get(json, "ids_special");
	int plain, other = 1;

	if (text == NULL || k3_json_type(text) != K3_JSON_STRING ||
	    !is_array(ids) || (special != NULL && !is_array(special)))
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %" PRIu64 ": not an object with a string "
		    "'text' and an array 'ids'",
		    path, line);
	plain = agrees(r, false, text, ids, err);
	if (plain >= 0 && special != NULL)
		other = agrees(r, true, text, special, err);
	if (plain < 0 || other < 0)
		return -1;
	count(r->rung, plain == 1 && other == 1,
	    "'%.900s' line %" PRIu64 ": this tokenizer gives other %s", path,
	    line, plain == 1 ? "ids_special" : "ids");
	return 0;
}

int
tok_vectors(const struct k3_tok *tok, const char *path,
    struct ladder_rung *rung, struct k3_err *err)
{
	struct k3_buf file = { 0 };
	struct round r;
	int ret = k3_buf_load(&file, path, err);
	const char *p = file.data, *end = ret == 0 ? p + file.len : p;

	round_open(&r, tok, rung);
	for (uint64_t line = 1; p < end && ret == 0; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl != NULL ? nl : end) - p);
		struct k3_json *json = k3_json_parse(p, len, path, err);

		if (json != NULL)
			ret = vector(&r, json, path, line, err);
		else if (err->code != EX_DATAERR)
			ret = -1;
		else
			ret = k3_fail(err, EX_DATAERR,
			    "'%s' line %" PRIu64 ": not a JSON object", path,
			    line);
		k3_json_free(json);
		p += nl != NULL ? len + 1 : len;
	}
	round_close(&r);
	k3_buf_fini(&file);
	return ret;
}
