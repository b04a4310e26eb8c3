/*
 * trunk.h - the weights provider: the dense layers in order, and the head
 *
 * Compute asks for a layer and then for its tensors in the order of use
 * (tensors.h), and does not see where they come from: pinned in memory, or
 * read for each pass, from the shards or from a packed trunk.  What was asked
 * for stays where it is until k3_trunk_done(), which lets what comes later be
 * read in its place.
 */
#ifndef K3_COMMON_TRUNK_H
#define K3_COMMON_TRUNK_H

#include "common/err.h"
#include "common/plan.h"
#include "common/shards.h"
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
struct k3_trunk *k3_trunk_open(struct k3_shards *shards,
    const struct k3_plan *plan, const char *packed, struct k3_err *err);

/* After the queue of reads: nothing may be on its way here. */
void k3_trunk_close(struct k3_trunk *trunk);

/* Touch pins and ring, so that they count from now on. */
int k3_trunk_touch(struct k3_trunk *trunk, struct k3_err *err);

/*
 * A pass begins; will it ask for lm_head?  Reading ahead starts here.  The pass
 * before may have been left anywhere.  -1 if it waits in vain for reads of
 * that.
 */
int k3_trunk_pass(struct k3_trunk *trunk, bool logits, struct k3_err *err);

/*
 * The same for a pass that goes on where another one was left, perhaps by
 * another process: 'half' half-layers of it are done, and nothing is read for
 * them.
 */
int k3_trunk_resume(struct k3_trunk *trunk, unsigned half, bool logits,
    struct k3_err *err);

/* Go to a layer. */
void k3_trunk_begin(struct k3_trunk *trunk, unsigned layer);

/*
 * One of its tensors, once it is there; the layer must have it.  0, or -1 with
 * 'err' naming file, offset and tensor.
 */
int k3_trunk_need(struct k3_trunk *trunk, enum k3_tensor t, struct k3_weight *w,
    struct k3_err *err);

/*
 * A matrix of any layer, if it is pinned and has been read; false if not.  It
 * stays.
 */
bool k3_trunk_pinned(struct k3_trunk *trunk, unsigned layer, enum k3_tensor t,
    struct k3_weight *w);

/* A small tensor of any layer. */
struct k3_weight k3_trunk_vector(const struct k3_trunk *trunk, unsigned layer,
    enum k3_tensor t);

/* Matrices asked for so far are no longer looked at. */
void k3_trunk_done(struct k3_trunk *trunk);

/* A row of the embedding, widened, into y [hidden]. */
int k3_trunk_embed(struct k3_trunk *trunk, uint32_t id, float *y,
    struct k3_err *err);

/*
 * The small tensors of the head, always in memory: any but the embedding and
 * lm_head.
 */
struct k3_weight k3_trunk_head(const struct k3_trunk *trunk, enum k3_tensor t);

/*
 * Rows of lm_head from 'row' on, which is 0 or where the last ones ended, as
 * many as there is room for.  This ends what k3_trunk_begin() began.
 */
int k3_trunk_lm_head(struct k3_trunk *trunk, size_t row, struct k3_weight *w,
    struct k3_err *err);

const struct k3_trunk_stats *k3_trunk_stats(const struct k3_trunk *trunk);

#endif
