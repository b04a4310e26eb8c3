/*
 * vocab.c - the ranks of a tokenizer, and files that are not one
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vocab.h"
#include "tests/base64.h"
#include "tests/tap.h"

static struct k3_buf bytes; /* the 256 lines of single bytes */

static void
put_line(struct k3_buf *file, const char *text, size_t len, unsigned rank)
{
	struct k3_err err;
	char number[16];

	base64_put(file, text, len);
	snprintf(number, sizeof(number), " %u\n", rank);
	k3_buf_put(file, number, strlen(number), &err);
}

/* Parse the lines of the bytes and then 'more'. */
static int
parse(struct k3_vocab *vocab, const char *more, struct k3_err *err)
{
	struct k3_buf file = { 0 };
	int status = -1;

	if (k3_buf_put(&file, bytes.data, bytes.len, err) == 0 &&
	    k3_buf_put(&file, more, strlen(more), err) == 0)
		status = k3_vocab_parse(vocab, file.data, file.len, "t", err);
	k3_buf_fini(&file);
	return status;
}

static void
check_good(void)
{
	struct k3_vocab v;
	struct k3_err err;

	/* "ab", "abc", "abcd", "abcdefgh", "abcdefghi" */
	ok(parse(&v,
	       "YWI= 257\nYWJj 256\nYWJjZA== 258\nYWJjZGVmZ2g= 259\n"
	       "YWJjZGVmZ2hp 260",
	       &err) == 0,
	    "ranks in any order, and no newline at the end");
	ok(v.n == 261 && v.longest == 9, "number and longest");
	ok(k3_vocab_find(&v, "a", 1) == 255 - 'a' &&
		k3_vocab_find(&v, "ab", 2) == 257 &&
		k3_vocab_find(&v, "abc", 3) == 256 &&
		k3_vocab_find(&v, "abcd", 4) == 258 &&
		k3_vocab_find(&v, "abcdefgh", 8) == 259 &&
		k3_vocab_find(&v, "abcdefghi", 9) == 260,
	    "tokens of all lengths are found");
	ok(k3_vocab_find(&v, "ba", 2) == K3_NO_RANK &&
		k3_vocab_find(&v, "abd", 3) == K3_NO_RANK &&
		k3_vocab_find(&v, "abcde", 5) == K3_NO_RANK &&
		k3_vocab_find(&v, "abcdefghj", 9) == K3_NO_RANK &&
		k3_vocab_find(&v, "abcdefghij", 10) == K3_NO_RANK,
	    "what is no token is not");
	ok(v.len[256] == 3 && memcmp(v.text + v.off[256], "abc", 3) == 0,
	    "a rank's bytes");
	k3_vocab_fini(&v);
}

static void
check_bad(void)
{
	static const struct {
		const char *what, *more, *msg;
	} bad[] = {
		{ "an empty line", "\n", "'t' line 257: not a token" },
		{ "no rank", "YWI=\n", "'t' line 257: not a token" },
		{ "no token", " 256\n", "'t' line 257: not a token" },
		{ "a rank that is no number", "YWI= x\n", "'t' line 257: not" },
		{ "more than a rank", "YWI= 256 \n", "'t' line 257: not" },
		{ "a carriage return", "YWI= 256\r\n", "'t' line 257: not" },
		{ "a line cut short", "YWI= 256\nYW", "'t' line 258: not" },
		{ "base64 of three digits", "YWI 256\n", "'t' line 257: not" },
		{ "a byte that is no digit", "YW-= 256\n", "'t' line 257: n" },
		{ "one digit and padding", "Y=== 256\n", "'t' line 257: not" },
		{ "padding in the middle", "YWI=YWJj 256\n",
		    "'t' line 257: n" },
		{ "bits left over", "YWJ= 256\n", "'t' line 257: not" },
		{ "bits left over from one", "YX== 256\n",
		    "'t' line 257: not" },
		{ "= and a digit", "YW=j 256\n", "'t' line 257: not" },
		{ "a rank too high", "YWI= 257\n",
		    "'t' line 257: rank is not below 257, the number" },
		{ "a rank beyond 32 bits", "YWI= 4294967552\n",
		    "'t' line 257: rank is not below 257" },
		{ "a rank twice", "YWI= 255\n",
		    "'t' line 257: rank 255 is there twice" },
		{ "a token twice", "YWI= 256\nYWI= 257\n",
		    "'t' line 258: rank 257 has the token of rank 256" },
	};
	struct k3_vocab v;
	struct k3_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.msg[0] = '\0';
		if (!ok(parse(&v, bad[i].more, &err) == -1 &&
			    err.code == EX_DATAERR && v.text == NULL &&
			    strncmp(err.msg, bad[i].msg, strlen(bad[i].msg)) ==
				0,
			"%s is refused", bad[i].what))
			diag("got \"%s\"", err.msg);
	}
	ok(k3_vocab_parse(&v, bytes.data, bytes.len - 8, "t", &err) == -1,
	    "a byte without a rank is refused");
	ok(k3_vocab_parse(&v, NULL, 0, "t", &err) == -1 &&
		strcmp(err.msg,
		    "'t' line 0: ends without a token for byte 0") == 0,
	    "an empty file is refused");
}

static void
check_longest(void)
{
	struct k3_buf line = { 0 };
	char *text = calloc(1, K3_TOKEN_MAX + 1);
	struct k3_vocab v;
	struct k3_err err;

	put_line(&line, text, K3_TOKEN_MAX, 256);
	k3_buf_put(&line, "", 1, &err);
	ok(parse(&v, line.data, &err) == 0 &&
		k3_vocab_find(&v, text, K3_TOKEN_MAX) == 256,
	    "a token of 65535 bytes");
	k3_vocab_fini(&v);
	line.len = 0;
	put_line(&line, text, K3_TOKEN_MAX + 1, 256);
	k3_buf_put(&line, "", 1, &err);
	ok(parse(&v, line.data, &err) == -1 &&
		strcmp(err.msg,
		    "'t' line 257: a token of 65536 bytes, above 65535") == 0,
	    "one more is refused");
	k3_buf_fini(&line);
	free(text);
}

/* Cut anywhere, the file is refused, and without reading past its end. */
static bool
check_truncated(void)
{
	struct k3_vocab v;
	struct k3_err err;

	for (size_t len = 0; len + 1 < bytes.len; len++) {
		char *copy = malloc(len);

		memcpy(copy, bytes.data, len);
		if (k3_vocab_parse(&v, copy, len, "t", &err) == 0) {
			diag("%zu of %zu bytes", len, bytes.len);
			return false;
		}
		free(copy);
	}
	return true;
}

int
main(void)
{
	struct k3_vocab v;
	struct k3_err err;

	for (unsigned i = 0; i < 256; i++) {
		char c = (char)(255 - i);

		put_line(&bytes, &c, 1, i);
	}
	check_good();
	check_bad();
	check_longest();
	ok(check_truncated(), "a file cut short anywhere is refused");
	ok(k3_vocab_load(&v, "/nonexistent", &err) == -1 &&
		err.code == EX_NOINPUT,
	    "a file that is not there");
	k3_buf_fini(&bytes);
	return tap_done();
}
