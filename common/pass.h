/*
 * pass.h - what the sub-layers share while tokens go through a layer
 *
 * The tokens of all spans stand in one list of rows, span after span, so that
 * every linear layer is one product for all of them.  A sub-layer takes x
 * [rows][hidden], the normalised input, writes [rows][hidden], and takes
 * memory only from pass->scratch, which it gives back.
 */
#ifndef K3_COMMON_PASS_H
#define K3_COMMON_PASS_H

#include "common/err.h"
#include "common/experts.h"
#include "common/par.h"
#include "common/scratch.h"
#include "common/state.h"
#include "common/trunk.h"
#include "kernels/kernels.h"

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

struct k3_pass {
	const struct k3_cfg *cfg;
	const struct k3_kern *kern;
	struct k3_par par;
	struct k3_trunk *trunk;
	struct k3_experts *experts;
	struct k3_scratch scratch;
	struct k3_watch watch;
	const struct k3_span *span;
	size_t nspan, rows;
	unsigned layer; /* in work */
};

#endif
