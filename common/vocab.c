/*
 * vocab.c - the ranks of a tokenizer: tiktoken.model
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/regular.h"
#include "common/vocab.h"

/* The released tiktoken.model has 2.8 MB. */
#define MAX_FILE ((uint64_t)64 << 20)

/* A line being read; on failure its number goes into the message. */
struct reader {
	const char *p, *end;
	const char *name;
	size_t line; /* from 1 */
};

static inline uint64_t
load8(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
load4(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Mix as MurmurHash3's finalizer does; the multipliers are its own. */
static inline uint64_t
mix(uint64_t h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdu;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 33;
}

/* Words may overlap: what matters is that each byte is in one. */
static inline uint64_t
hash(const unsigned char *p, size_t len)
{
	uint64_t h = len * 0x9e3779b97f4a7c15u;

	if (len >= 8) {
		for (size_t i = 0; i + 8 < len; i += 8)
			h = mix(h ^ load8(p + i));
		return mix(h ^ load8(p + len - 8));
	}
	if (len >= 4)
		return mix(h ^ (load4(p) | (uint64_t)load4(p + len - 4) << 32));
	return mix(h ^ (p[0] | (uint64_t)p[len / 2] << 8 |
			   (uint64_t)p[len - 1] << 16));
}

/* The rank in a slot that is not free. */
static inline uint32_t
slot_rank(uint32_t slot)
{
	return slot & 0xffffff;
}

/*
 * The slot that has the token, or the free one where it would go; '*tag' is
 * what stands there beside the rank.  Comparing it first saves most looks at
 * the text of other tokens.
 */
static inline uint32_t *
lookup(const struct k3_vocab *v, const unsigned char *text, size_t len,
    uint32_t *tag)
{
	uint64_t h = hash(text, len);
	size_t i = (size_t)h & (v->nslot - 1);

	*tag = (uint32_t)(h >> 32) & 0xff000000;
	for (;; i = (i + 1) & (v->nslot - 1)) {
		uint32_t slot = v->slot[i], rank = slot_rank(slot);

		if (slot == K3_NO_RANK ||
		    ((slot ^ rank) == *tag && v->len[rank] == len &&
			memcmp(v->text + v->off[rank], text, len) == 0))
			return &v->slot[i];
	}
}

uint32_t
k3_vocab_find(const struct k3_vocab *vocab, const char *text, size_t len)
{
	const unsigned char *t = (const unsigned char *)text;
	uint32_t slot, tag;

	if (len == 1)
		return vocab->byte[t[0]];
	if (len == 2)
		return vocab->pair[t[0] << 8 | t[1]];
	if (len > vocab->longest)
		return K3_NO_RANK;
	slot = *lookup(vocab, t, len, &tag);
	return slot == K3_NO_RANK ? K3_NO_RANK : slot_rank(slot);
}

/* Not a base64 digit: above the 24 bits that four of them make. */
#define BAD 0x1000000u

/* [place][byte]: the six bits of a base64 digit at its place, or BAD. */
typedef uint32_t digits_table[4][256];

static void
make_digits(digits_table digit)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (unsigned place = 0; place < 4; place++) {
		for (unsigned c = 0; c < 256; c++)
			digit[place][c] = BAD;
		for (unsigned i = 0; i < 64; i++)
			digit[place][(unsigned char)digits[i]] =
			    i << (18 - 6 * place);
	}
}

/*
 * The last four digits of a token, XX== or XXX=, to 'v' as four would make it.
 * Returns the bytes that they hold, or 0 if bits are left that are not 0.
 */
static size_t
padded(const unsigned char *p, digits_table digit, uint32_t *v)
{
	*v = digit[0][p[0]] | digit[1][p[1]];
	if (p[3] != '=')
		return 0;
	if (p[2] == '=')
		return (*v & ~0xff0000u) == 0 ? 1 : 0;
	*v |= digit[2][p[2]];
	return (*v & ~0xffff00u) == 0 ? 2 : 0;
}

/*
 * Decode base64 up to the blank.  Returns the bytes, at least 1, or 0 if it is
 * not base64.  Up to 3 bytes more than that are written.
 */
static size_t
base64(struct reader *r, digits_table digit, unsigned char *out)
{
	const unsigned char *p = (const unsigned char *)r->p;
	const unsigned char *end = (const unsigned char *)r->end;
	unsigned char *o = out;
	uint32_t v;

	while (end - p >= 4) {
		size_t n = 3;

		v = digit[0][p[0]] | digit[1][p[1]] | digit[2][p[2]] |
		    digit[3][p[3]];
		if (v >= BAD) {
			if (p[0] == ' ')
				break;
			if ((n = padded(p, digit, &v)) == 0)
				return 0;
		}
		o[0] = (unsigned char)(v >> 16);
		o[1] = (unsigned char)(v >> 8);
		o[2] = (unsigned char)v;
		o += n;
		p += 4;
		if (n < 3)
			break;
	}
	if (p == end || *p != ' ')
		return 0;
	r->p = (const char *)p + 1;
	return (size_t)(o - out);
}

/* Read digits and the end of the line, which the last line may lack. */
static int
number(struct reader *r, uint32_t *rank)
{
	uint32_t v = 0;
	int n = 0;

	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++, n++)
		if (v < K3_VOCAB_MAX)
			v = v * 10 + (uint32_t)(*r->p - '0');
	if (n == 0 || (r->p < r->end && *r->p++ != '\n'))
		return -1;
	*rank = v;
	return 0;
}

static int
parse_line(struct k3_vocab *v, struct reader *r, digits_table digit,
    uint32_t *used, struct k3_err *err)
{
	unsigned char *text = v->text + *used;
	uint32_t rank, tag, *slot;
	size_t len = base64(r, digit, text);

	if (len == 0 || number(r, &rank) != 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: not a token in base64, a blank and a rank",
		    r->name, r->line);
	if (len > K3_TOKEN_MAX)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: a token of %zu bytes, above %u", r->name,
		    r->line, len, K3_TOKEN_MAX);
	if (rank >= v->n)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: rank is not below %" PRIu32
		    ", the number of lines",
		    r->name, r->line, v->n);
	if (v->len[rank] != 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: rank %" PRIu32 " is there twice", r->name,
		    r->line, rank);
	slot = lookup(v, text, len, &tag);
	if (*slot != K3_NO_RANK)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: rank %" PRIu32
		    " has the token of rank %" PRIu32,
		    r->name, r->line, rank, slot_rank(*slot));
	*slot = tag | rank;
	v->off[rank] = *used;
	v->len[rank] = (uint16_t)len;
	*used += (uint32_t)len;
	if (len > v->longest)
		v->longest = (uint32_t)len;
	if (len == 1)
		v->byte[text[0]] = rank;
	else if (len == 2)
		v->pair[text[0] << 8 | text[1]] = rank;
	return 0;
}

/* All tables; the text of the tokens is shorter than their base64. */
static int
allocate(struct k3_vocab *v, size_t len, struct k3_err *err)
{
	v->nslot = 1024;
	while (v->nslot < 2 * (size_t)v->n)
		v->nslot *= 2;
	v->pair = malloc(65536 * sizeof(*v->pair));
	v->text = malloc(len + 1);
	v->off = malloc((v->n + 1) * sizeof(*v->off));
	v->len = calloc(v->n + 1, sizeof(*v->len));
	v->slot = malloc(v->nslot * sizeof(*v->slot));
	if (v->pair == NULL || v->text == NULL || v->off == NULL ||
	    v->len == NULL || v->slot == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for %" PRIu32 " tokens", v->n);
	/* K3_NO_RANK is all ones. */
	memset(v->byte, 0xff, sizeof(v->byte));
	memset(v->pair, 0xff, 65536 * sizeof(*v->pair));
	memset(v->slot, 0xff, v->nslot * sizeof(*v->slot));
	return 0;
}

static int
parse(struct k3_vocab *v, struct reader *r, struct k3_err *err)
{
	const char *p = r->p;
	size_t nline = 0;
	digits_table digit;
	uint32_t used = 0;

	for (; p != NULL && p < r->end; nline++) {
		p = memchr(p, '\n', (size_t)(r->end - p));
		p = p != NULL ? p + 1 : NULL;
	}
	if (nline > K3_VOCAB_MAX || r->end - r->p > INT32_MAX)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: more than %u lines or 2 GiB", r->name,
		    nline, K3_VOCAB_MAX);
	v->n = (uint32_t)nline;
	if (allocate(v, (size_t)(r->end - r->p), err) != 0)
		return -1;
	make_digits(digit);
	for (r->line = 1; r->p < r->end; r->line++)
		if (parse_line(v, r, digit, &used, err) != 0)
			return -1;
	/* As many lines as ranks, each once: so all are there. */
	for (unsigned c = 0; c < 256; c++)
		if (v->byte[c] == K3_NO_RANK)
			return k3_fail(err, EX_DATAERR,
			    "'%s' line %zu: ends without a token for byte %u",
			    r->name, nline, c);
	return 0;
}

int
k3_vocab_parse(struct k3_vocab *vocab, const char *data, size_t len,
    const char *name, struct k3_err *err)
{
	struct reader r = { .name = name };

	r.p = len > 0 ? data : "";
	r.end = r.p + len;
	*vocab = (struct k3_vocab){ 0 };
	if (parse(vocab, &r, err) == 0)
		return 0;
	k3_vocab_fini(vocab);
	return -1;
}

int
k3_vocab_load(struct k3_vocab *vocab, const char *path, struct k3_err *err)
{
	struct k3_buf file = { 0 };
	int status = -1;

	*vocab = (struct k3_vocab){ 0 };
	if (k3_regular_load(&file, path, MAX_FILE, err) == 0)
		status = k3_vocab_parse(vocab, file.data, file.len, path, err);
	k3_buf_fini(&file);
	return status;
}

void
k3_vocab_fini(struct k3_vocab *vocab)
{
	free(vocab->pair);
	free(vocab->text);
	free(vocab->off);
	free(vocab->len);
	free(vocab->slot);
	*vocab = (struct k3_vocab){ 0 };
}
