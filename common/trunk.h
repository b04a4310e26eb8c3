/*
 * trunk.h - the weights provider: the dense layers in order, and the head
 *
 * Compute asks for a layer and then for its tensors in the order of use
 * (tensors.h), and does not see where they come from: pinned in memory, or
 * read for each pass, from the shards or from a packed trunk.  What was asked
 * for stays where it is until the next k3_trunk_begin().
 */
#ifndef K3_COMMON_TRUNK_H
#define K3_COMMON_TRUNK_H

#include "common/err.h"
#include "common/plan.h"
#include "common/st.h"
#include "common/stats.h"

struct k3_trunk; /* opaque */

/* A stored matrix or vector: [rows][n], a row after the other. */
struct k3_weight {
	const uint8_t *p;
	enum k3_dtype dtype;
	size_t rows, n;
};

/*
 * 'packed' is the folder of a packed trunk, or NULL for the shards.  Memory
 * for pins and ring is taken from the plan.  NULL on failure.
 */
struct k3_trunk *k3_trunk_open(struct k3_st *st, const struct k3_plan *plan,
    const char *packed, struct k3_err *err);
void k3_trunk_close(struct k3_trunk *trunk);

/* Go to a layer.  0, or -1 with 'err' naming file, layer and offset. */
int k3_trunk_begin(struct k3_trunk *trunk, unsigned layer, struct k3_err *err);

/* One of its tensors, once it is there; the layer must have it. */
int k3_trunk_need(struct k3_trunk *trunk, enum k3_tensor t, struct k3_weight *w,
    struct k3_err *err);

/* A row of the embedding, widened, into y [hidden]. */
int k3_trunk_embed(struct k3_trunk *trunk, uint32_t id, float *y,
    struct k3_err *err);

/*
 * The small tensors of the head, always in memory: any but the embedding and
 * lm_head.
 */
struct k3_weight k3_trunk_head(const struct k3_trunk *trunk, enum k3_tensor t);

/*
 * Rows of lm_head from 'row' on, as many as there is room for, at least one.
 * This ends what k3_trunk_begin() began.
 */
int k3_trunk_lm_head(struct k3_trunk *trunk, size_t row, struct k3_weight *w,
    struct k3_err *err);

const struct k3_trunk_stats *k3_trunk_stats(const struct k3_trunk *trunk);

#endif
