/*
 * model.h - an opened model, and the forward pass over spans
 *
 * The same model and the same IDs give the same logits, bit for bit, however
 * the tokens are cut into spans and passes, and whatever the memory, the
 * number of threads and the CPU level are.
 *
 * A model runs one pass at a time; it is not to be shared among threads.  It
 * starts its own, as many as asked for.
 */
#ifndef K3_COMMON_MODEL_H
#define K3_COMMON_MODEL_H

#include <stdbool.h>

#include "common/cfg.h"
#include "common/err.h"
#include "common/io.h"
#include "common/plan.h"
#include "common/span.h"
#include "common/st.h"
#include "common/state.h"
#include "common/stats.h"

struct k3_model;   /* opaque */
struct k3_kern;    /* kernels/kernels.h */
struct k3_sidecar; /* common/sidecar.h */

struct k3_model_ask {
	unsigned cpu;       /* of common/cpu.h: k3_cpu_best() for the best */
	const char *packed; /* folder of a packed trunk, or NULL */
	bool touch;         /* all memory now, not when it is used */
	/* Of what the shards hold, checked when it is first read; or NULL. */
	struct k3_sidecar *digests;
	struct k3_io_ask io;
};

/*
 * Take the memory that the plan lists, and start to read.  'st', 'plan' and
 * digests must outlive the model.  NULL on failure.
 */
struct k3_model *k3_model_open(struct k3_st *st, const struct k3_plan *plan,
    const struct k3_model_ask *ask, struct k3_err *err);
void k3_model_close(struct k3_model *model);

/* Who is told of hidden states and routes, from the next pass on. */
void k3_model_watch(struct k3_model *model, const struct k3_watch *watch);

/*
 * Run the spans' tokens, at most plan->chunk of them together, through all
 * layers, and move the states on.  Each state occurs in one span only.  After
 * a failure states and logits are of no use; but the model can be used again
 * with other states, and reads again what it could not.
 *
 * EX_DATAERR: an ID is not in the vocabulary, a sequence is longer than its
 * state's context, or the model's data is bad; EX_IOERR: it cannot be read.
 */
int k3_forward(struct k3_model *model, const struct k3_span *span, size_t nspan,
    struct k3_err *err);

/*
 * The same in steps, so that a pass can be left between half-layers: begin,
 * then half() until it returns 0 (1: more to do, -1: failed), then end(),
 * which computes the logits.  'span' must stay until then.
 */
int k3_pass_begin(struct k3_model *model, const struct k3_span *span,
    size_t nspan, struct k3_err *err);
int k3_pass_half(struct k3_model *model, struct k3_err *err);
int k3_pass_end(struct k3_model *model, struct k3_err *err);

/*
 * A pass that was left between two half-layers, or in one that failed, so that
 * it can be kept and gone on with, in another process too.  Beside these rows
 * it is in the states of its spans: those of the layers that are done have
 * moved on, but pos has not.
 */
struct k3_held {
	size_t rows;
	unsigned half;  /* half-layers done; 0: none, the pass is not begun */
	unsigned nsnap; /* follows from that: k3_snapshots_after() */
	float *prefix;  /* [rows][hidden] */
	float *const *snap; /* [nsnap]: [rows][hidden] */
};

/*
 * Look at the pass in work.  -1 with EX_UNAVAILABLE if a half-layer failed when
 * it had moved a state or the prefix: then nothing can go on from here.
 */
int k3_pass_hold(const struct k3_model *model, struct k3_held *held,
    struct k3_err *err);

/*
 * In place of k3_pass_begin(): go on after 'half' half-layers, from 1 to twice
 * the layers, of a pass over the same IDs.  How the trunk is read, threads and
 * CPU may be others.  'held' gets the memory that prefix and snapshots are to
 * be copied to before the next call.
 */
int k3_pass_resume(struct k3_model *model, const struct k3_span *span,
    size_t nspan, unsigned half, struct k3_held *held, struct k3_err *err);

/* The kernels that passes call, for those who measure: to be wrapped. */
struct k3_kern *k3_model_kern(struct k3_model *model);

/* Its queue of reads, for notes and counts. */
struct k3_io *k3_model_io(const struct k3_model *model);

const struct k3_trunk_stats *k3_model_trunk(const struct k3_model *model);
const struct k3_experts_stats *k3_model_experts(const struct k3_model *model);

#endif
