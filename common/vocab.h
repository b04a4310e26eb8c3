/*
 * vocab.h - the ranks of a tokenizer: tiktoken.model
 *
 * The file has a line "BASE64 RANK" for each token.  It is untrusted: each
 * token is there once, the ranks are all from 0 to the number of lines, in any
 * order, and each single byte has one, so that any text can be encoded.  After
 * k3_vocab_load() the rest of the library relies on that.
 */
#ifndef K3_COMMON_VOCAB_H
#define K3_COMMON_VOCAB_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* No rank: what is not a token has this one, which is above all others. */
#define K3_NO_RANK UINT32_MAX

/* More tokens, or a longer one, are refused as absurd. */
#define K3_VOCAB_MAX 0xffffffu
#define K3_TOKEN_MAX 65535u

struct k3_vocab {
	uint32_t n;          /* tokens */
	uint32_t longest;    /* bytes of the longest one */
	uint32_t byte[256];  /* [byte]: its rank */
	uint32_t *pair;      /* [first byte * 256 + second]: rank or none */
	unsigned char *text; /* bytes of all tokens, in the file's order */
	uint32_t *off;       /* [rank]: where in 'text' it begins */
	uint16_t *len;       /* [rank]: its bytes */
	size_t nslot;        /* a power of two, at least 2 * n */
	uint32_t *slot;      /* hash's upper 8 bits << 24 | rank, or none */
};

/*
 * Load the file at 'path'.  On failure nothing is held: EX_NOINPUT, EX_IOERR,
 * EX_OSERR, or EX_DATAERR with the line.
 */
int k3_vocab_load(struct k3_vocab *vocab, const char *path, struct k3_err *err);

/* The same from memory; 'name' stands for the file in messages. */
int k3_vocab_parse(struct k3_vocab *vocab, const char *data, size_t len,
    const char *name, struct k3_err *err);

void k3_vocab_fini(struct k3_vocab *vocab);

/* The rank of the token with these bytes, at least 1, or K3_NO_RANK. */
uint32_t k3_vocab_find(const struct k3_vocab *vocab, const char *text,
    size_t len);

#endif
