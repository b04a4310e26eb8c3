/*
 * bpe.c - byte-pair encoding against its definition
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bpe.h"
#include "common/buf.h"
#include "tests/base64.h"
#include "tests/tap.h"

#define NEXTRA 60
#define PIECE  400

static uint64_t rng = 1;

static uint32_t
rnd(void)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 32);
}

/* The vocabulary as the definition sees it: a list. */
static struct {
	char text[8];
	size_t len;
} token[256 + NEXTRA];
static uint32_t ntoken;

static uint32_t
slow_rank(const char *text, size_t len)
{
	for (uint32_t r = 0; r < ntoken; r++)
		if (token[r].len == len &&
		    memcmp(token[r].text, text, len) == 0)
			return r;
	return K3_NO_RANK;
}

static void
add(const char *text, size_t len)
{
	if (slow_rank(text, len) != K3_NO_RANK)
		return;
	memcpy(token[ntoken].text, text, len);
	token[ntoken++].len = len;
}

static void
make_vocab(struct k3_vocab *vocab, unsigned nletter)
{
	struct k3_buf file = { 0 };
	struct k3_err err;
	char text[8], number[16];

	ntoken = 0;
	for (unsigned i = 0; i < 256; i++) {
		text[0] = (char)(255 - i);
		add(text, 1);
	}
	for (unsigned i = 0; i < NEXTRA; i++) {
		size_t len = 2 + rnd() % (rnd() % 3 + 1) + rnd() % 3;

		for (size_t k = 0; k < len; k++)
			text[k] = (char)('a' + rnd() % nletter);
		add(text, len);
	}
	/* Lines from the last rank to the first: any order is fine. */
	for (uint32_t r = ntoken; r-- > 0;) {
		base64_put(&file, token[r].text, token[r].len);
		snprintf(number, sizeof(number), " %u\n", r);
		k3_buf_put(&file, number, strlen(number), &err);
	}
	if (k3_vocab_parse(vocab, file.data, file.len, "t", &err) != 0) {
		diag("%s", err.msg);
		exit(1);
	}
	k3_buf_fini(&file);
}

static size_t
slow_encode(const char *piece, size_t len, uint32_t *id)
{
	size_t end[PIECE], n = len;

	if ((id[0] = slow_rank(piece, len)) != K3_NO_RANK)
		return 1;
	for (size_t i = 0; i < len; i++)
		end[i] = i + 1;
	for (;;) {
		uint32_t best = K3_NO_RANK, rank;
		size_t at = 0;

		for (size_t i = 0, start = 0; i + 1 < n; start = end[i++]) {
			rank = slow_rank(piece + start, end[i + 1] - start);
			if (rank < best) {
				best = rank;
				at = i;
			}
		}
		if (best == K3_NO_RANK)
			break;
		memmove(end + at, end + at + 1, (n - at - 1) * sizeof(*end));
		n--;
	}
	for (size_t i = 0, start = 0; i < n; start = end[i++])
		id[i] = slow_rank(piece + start, end[i] - start);
	return n;
}

/* One vocabulary, pieces up to 'most' bytes of its letters. */
static bool
check_random(size_t most, int rounds)
{
	struct k3_bpe bpe = { 0 };
	struct k3_vocab vocab;
	struct k3_err err;
	bool same = true;

	for (int round = 0; same && round < rounds; round++) {
		unsigned nletter = 1 + rnd() % 4;

		make_vocab(&vocab, nletter);
		for (int i = 0; same && i < 20; i++) {
			uint32_t want[PIECE];
			const uint32_t *got;
			char piece[PIECE];
			size_t len = 1 + rnd() % most, n, ngot;

			for (size_t k = 0; k < len; k++)
				piece[k] = (char)('a' + rnd() % nletter);
			n = slow_encode(piece, len, want);
			same = k3_bpe_encode(&bpe, &vocab, piece, len, &got,
				   &ngot, &err) == 0 &&
			       n == ngot &&
			       memcmp(got, want, n * sizeof(*want)) == 0;
			if (!same)
				diag("piece \"%.*s\"", (int)len, piece);
		}
		k3_vocab_fini(&vocab);
	}
	k3_bpe_fini(&bpe);
	return same;
}

static void
check_large(void)
{
	size_t len = 1 << 20, n = 0, sum = 0;
	struct k3_bpe bpe = { 0 };
	struct k3_vocab vocab;
	const uint32_t *id;
	struct k3_err err;
	char *piece = malloc(len);

	make_vocab(&vocab, 1);
	memset(piece, 'a', len);
	ok(k3_bpe_encode(&bpe, &vocab, piece, len, &id, &n, &err) == 0,
	    "a piece of a million bytes");
	for (size_t i = 0; i < n; i++)
		sum += vocab.len[id[i]];
	ok(n < len && sum == len, "keeps them all");
	k3_vocab_fini(&vocab);
	k3_bpe_fini(&bpe);
	free(piece);
}

int
main(void)
{
	ok(check_random(20, 200), "short pieces, as by the definition");
	ok(check_random(PIECE, 4), "long pieces too");
	check_large();
	return tap_done();
}
