/*
 * verify-tok.h - does a tokenizer give back what it was given?
 */
#ifndef K3_TOOLS_VERIFY_TOK_H
#define K3_TOOLS_VERIFY_TOK_H

#include "common/tok.h"
#include "tools/verify-ladder.h"

/* IDs of a text; 'id' is of len / sizeof(uint32_t) of them, to be freed. */
int tok_encode(const struct k3_tok *tok, bool special, const char *text,
    size_t len, struct k3_buf *id, struct k3_err *err);

/*
 * Count texts that come back byte for byte: each byte, samples, each token's
 * bytes, and each special name, both as its token and as mere text.
 */
int tok_round(const struct k3_tok *tok, struct ladder_rung *rung,
    struct k3_err *err);

/*
 * Count the lines of a file, each an object with "text" and its "ids", and
 * "ids_special" where special names count, that this tokenizer agrees with.
 */
int tok_vectors(const struct k3_tok *tok, const char *path,
    struct ladder_rung *rung, struct k3_err *err);

#endif
