/*
 * span.h - what goes into a pass, and who is told of what happens in it
 *
 * Prompt chunks, sequences side by side and single new tokens are all spans; a
 * pass takes any number of them.
 */
#ifndef K3_COMMON_SPAN_H
#define K3_COMMON_SPAN_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/state.h"

/*
 * A run of new tokens of one sequence.  The logits of its last 'nlogit'
 * tokens are wanted, [nlogit][vocab]; 0 for none.
 */
struct k3_span {
	struct k3_state *state;
	const uint32_t *ids;
	uint32_t n;
	uint32_t nlogit;
	float *logits;
};

/*
 * What an observer can be told, in the order in which it happens.  Rows are
 * those of the pass.  Any of the functions may be NULL; a function that
 * returns -1 with 'err' filled in ends the pass.
 */
struct k3_watch {
	void *arg;
	/* x, the input of a layer's ffn, and p, the prefix after it. */
	int (*hidden)(void *arg, unsigned layer, const float *x, const float *p,
	    size_t rows, struct k3_err *err);
	/* The picks of each row, [rows][topk], rising, and their weights. */
	int (*routes)(void *arg, unsigned layer, const struct k3_span *span,
	    size_t nspan, const uint32_t *pick, const float *weight,
	    struct k3_err *err);
};

#endif
