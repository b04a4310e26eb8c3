/*
 * experts.h - the routed experts: wanted, cached, read
 *
 * want() names the experts of one layer that a pass needs and starts to read
 * those that are not in memory; next() delivers them one by one in rising
 * number, which is the order of the sum, whatever order they arrive in.  The
 * cache sees these demands in their logical order and nothing else, so that a
 * simulation of a recorded route counts exactly what the engine counts.
 */
#ifndef K3_COMMON_EXPERTS_H
#define K3_COMMON_EXPERTS_H

#include "common/err.h"
#include "common/plan.h"
#include "common/shards.h"
#include "common/stats.h"

struct k3_experts; /* opaque */

/* An MXFP4 matrix in the checkpoint's order: [rows][n / 2], [rows][n / 32]. */
struct k3_mx {
	const uint8_t *w, *scale;
	size_t rows, n;
};

struct k3_expert {
	unsigned number;
	struct k3_mx w1, w2, w3;
};

/* Memory for the cache is taken from the plan.  NULL on failure. */
struct k3_experts *k3_experts_open(struct k3_shards *shards,
    const struct k3_plan *plan, struct k3_err *err);

/* After the queue of reads: nothing may be on its way here. */
void k3_experts_close(struct k3_experts *ex);

/* Touch the places, so that they count from now on. */
int k3_experts_touch(struct k3_experts *ex, struct k3_err *err);

/*
 * Want 'n' different experts of 'layer', in rising number; 'list' stays as it
 * is until all of them have been delivered.  Those wanted before are forgotten,
 * wherever that was left.
 */
int k3_experts_want(struct k3_experts *ex, unsigned layer, const uint32_t *list,
    size_t n, struct k3_err *err);

/*
 * 'n' experts that 'layer' may want, the likeliest first: those that are not in
 * the cache are read where nothing else is to be, as far as the plan's
 * lookahead has places.  Changes no result.
 */
void k3_experts_guess(struct k3_experts *ex, unsigned layer,
    const uint32_t *list, size_t n);

/*
 * The next one wanted, good until the following call.  Returns 1, 0 after the
 * last, or -1: it could not be read in full, or holds a scale byte above 252,
 * or has another digest than it should.
 */
int k3_experts_next(struct k3_experts *ex, struct k3_expert *expert,
    struct k3_err *err);

const struct k3_experts_stats *k3_experts_stats(const struct k3_experts *ex);

#endif
