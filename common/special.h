/*
 * special.h - the special tokens of a tokenizer: their IDs and names
 *
 * Special IDs are those from the number of ranks up to the size of the
 * vocabulary.  A name is the "content" of the ID in "added_tokens_decoder" of
 * tokenizer_config.json, or <|reserved_token_ID|> where that has none.
 */
#ifndef K3_COMMON_SPECIAL_H
#define K3_COMMON_SPECIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/json.h"

/* More special tokens, or a longer name, are refused as absurd. */
#define K3_SPECIAL_MAX  65536u
#define K3_SPECIAL_NAME 256u

struct k3_special_token {
	uint32_t id;
	uint32_t len;
	char *name; /* 'len' bytes, then a NUL */
};

struct k3_special {
	uint32_t first;                 /* the first special ID */
	uint32_t n;                     /* how many there are */
	struct k3_special_token *token; /* [id - first] */
	struct k3_special_token *order; /* the same, sorted by name */
	bool begins[256];               /* can a name begin with this byte? */
};

/*
 * Take the names of 'n' IDs from 'first' on out of a tokenizer_config.json,
 * which 'file' names in messages.  On failure nothing is held: EX_OSERR, or
 * EX_DATAERR where an added token is not among these IDs, has no name, or has
 * that of another.
 */
int k3_special_init(struct k3_special *special, const struct k3_json *config,
    const char *file, uint32_t first, uint32_t n, struct k3_err *err);

void k3_special_fini(struct k3_special *special);

/*
 * The length of the longest name with which the text, of at least 1 byte,
 * begins, and its ID; or 0.
 */
size_t k3_special_find(const struct k3_special *special, const char *text,
    size_t len, uint32_t *id);

#endif
