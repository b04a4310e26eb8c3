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
#include "common/span.h"
#include "common/trunk.h"
#include "kernels/kernels.h"

struct k3_pass {
	const struct k3_cfg *cfg;
	const struct k3_kern *kern;
	struct k3_par par;
	struct k3_trunk *trunk;
	struct k3_experts *experts;
	unsigned lookahead; /* experts of the next layer to guess, or 0 */
	struct k3_scratch scratch;
	struct k3_watch watch;
	const struct k3_span *span;
	size_t nspan, rows;
	unsigned layer; /* in work */
	bool moved; /* a state or the prefix has, and the half is not done */
};

#endif
