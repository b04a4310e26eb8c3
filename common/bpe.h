/*
 * bpe.h - byte-pair encoding of one piece of text
 *
 * A piece that is a token is that token.  Any other begins as its bytes; of
 * all two neighbours whose bytes together are a token, those with the lowest
 * rank become one, the leftmost of them on ties, until none are left.
 *
 * (That looks at bytes only.  A list of merges rebuilt from the ranks gives
 * other results: it forbids ways to a token that the ranks allow.)
 */
#ifndef K3_COMMON_BPE_H
#define K3_COMMON_BPE_H

#include "common/vocab.h"

/* Working memory, reused from piece to piece; all zeros at first. */
struct k3_bpe {
	size_t cap;     /* bytes of a piece that there is room for */
	uint32_t *id;   /* [part] */
	uint32_t *rank; /* [part]: of it and the next one together */
	uint32_t *off;  /* [part]: where in the piece; or [byte]: next part */
	uint32_t *prev; /* [byte]: part before */
	uint64_t *heap; /* rank << 32 | byte where the pair begins */
};

/*
 * Encode a piece of at least 1 byte, in time O(n log n).  '*id' points to
 * '*n' IDs, which the next call overwrites.  Fails only for lack of memory.
 */
int k3_bpe_encode(struct k3_bpe *bpe, const struct k3_vocab *vocab,
    const char *piece, size_t len, const uint32_t **id, size_t *n,
    struct k3_err *err);

void k3_bpe_fini(struct k3_bpe *bpe);

#endif
