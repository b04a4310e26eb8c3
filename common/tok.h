/*
 * tok.h - the tokenizer of a model folder
 *
 * An open tokenizer does not change: threads may share one.  Each sequence to
 * encode has a struct k3_encode of its own.
 */
#ifndef K3_COMMON_TOK_H
#define K3_COMMON_TOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bpe.h"
#include "common/buf.h"
#include "common/pretok.h"
#include "common/special.h"
#include "common/vocab.h"

struct k3_tok {
	uint32_t size; /* IDs are below this, and all of them are tokens */
	struct k3_vocab vocab;
	struct k3_special special;
};

/*
 * Open the tokenizer in the folder 'dir': tiktoken.model for the ranks,
 * text_config.vocab_size of config.json for the number of IDs (256 more than
 * ranks where it is absent), tokenizer_config.json for the names of special
 * tokens.  On failure nothing is held.
 */
int k3_tok_open(struct k3_tok *tok, const char *dir, struct k3_err *err);

void k3_tok_close(struct k3_tok *tok);

/* Is an ID below 'size' special? */
bool k3_tok_special(const struct k3_tok *tok, uint32_t id);

/* The bytes of an ID below 'size': of the token, or of the special name. */
const char *k3_tok_bytes(const struct k3_tok *tok, uint32_t id, size_t *len);

/* Takes IDs, in order; returns 0, or -1 with the error, which stops. */
typedef int k3_tok_put_fn(void *arg, const uint32_t *id, size_t n,
    struct k3_err *err);

/* A sequence being encoded.  All but the first four are its own. */
struct k3_encode {
	const struct k3_tok *tok;
	bool special; /* are special names in the text special tokens? */
	k3_tok_put_fn *put;
	void *arg;

	struct k3_cut cut;
	struct k3_buf buf; /* the current part, and what comes after it */
	size_t seen;       /* bytes of it that belong to the part */
	struct k3_bpe bpe;
};

void k3_encode_init(struct k3_encode *enc, const struct k3_tok *tok,
    bool special, k3_tok_put_fn *put, void *arg);

/*
 * Text that goes on where the last one ended, cut anywhere.  IDs are put as
 * soon as a part is full, so that memory is bounded by one part: 400,000
 * symbols.  Fails as 'put' does, or with EX_OSERR.
 */
int k3_encode_feed(struct k3_encode *enc, const char *text, size_t len,
    struct k3_err *err);

/* The text is over: put the rest.  The next feed begins another sequence. */
int k3_encode_end(struct k3_encode *enc, struct k3_err *err);

void k3_encode_fini(struct k3_encode *enc);

#endif
