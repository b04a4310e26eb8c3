/*
 * hidden.h - dumped hidden states, routed again
 *
 * A dump is a folder of layer files, one for each layer, with x, the input of
 * the layer's ffn, for each token of a prompt.  All that is read of the model
 * is what tells it from others, and its routers.
 *
 * Nothing in a dump is trusted: a file that is missing, or is not what the
 * model would have written, is refused before the first row is routed, and one
 * that is damaged before the first row of its layer.
 */
#ifndef K3_COMMON_HIDDEN_H
#define K3_COMMON_HIDDEN_H

#include "common/st.h"

struct k3_hidden; /* opaque */

struct k3_hidden_ask {
	const char *dir;
	unsigned cpu; /* of common/cpu.h */
	unsigned threads;
	uint32_t lookahead; /* experts to guess for the next layer, or 0 */
};

/*
 * Look at all files.  'st' must outlive it.  NULL on failure: EX_NOINPUT, a
 * file is missing; EX_DATAERR, it is another model's or not right; EX_USAGE,
 * more to guess than a layer has.
 */
struct k3_hidden *k3_hidden_open(const struct k3_cfg *cfg, struct k3_st *st,
    const struct k3_hidden_ask *ask, struct k3_err *err);
void k3_hidden_close(struct k3_hidden *h);

/* Bytes of the dump that will be read, each of them twice. */
uint64_t k3_hidden_bytes(const struct k3_hidden *h);

/*
 * Some tokens in a row: 'n' of them, from position 'first' on, in a layer, with
 * their picks, rising, [n][topk], and weights.  With lookahead they are what is
 * guessed for that layer, [n][lookahead], from the x of the one before, and
 * there are no weights.
 */
struct k3_hidden_rows {
	unsigned layer;
	uint64_t first;
	size_t n;
	const uint32_t *pick;
	const float *weight; /* NULL with lookahead */
	uint64_t bytes;      /* read for it */
};

/*
 * Go on, by layer and then by position, in steps of some megabytes.  Returns 1
 * (n may be 0: a step that only checks), 0 at the end, or -1.
 */
int k3_hidden_next(struct k3_hidden *h, struct k3_hidden_rows *rows,
    struct k3_err *err);

#endif
