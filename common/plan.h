/*
 * plan.h - who gets how much of the memory
 *
 * The plan is one list of (name, bytes, why) that covers every large buffer.
 * It is made before anything is loaded, and refused if it does not fit.
 */
#ifndef K3_COMMON_PLAN_H
#define K3_COMMON_PLAN_H

#include "common/cfg.h"
#include "common/err.h"
#include "common/st.h"

enum k3_plan_item {
	K3_PLAN_PROGRAM, /* code, libraries, stacks, small allocations */
	K3_PLAN_INDEX,   /* where each tensor stands */
	K3_PLAN_VECTORS, /* the trunk's small tensors */
	K3_PLAN_RING,    /* matrices read for each pass */
	K3_PLAN_PINS,    /* matrices that stay */
	K3_PLAN_CACHE,   /* routed experts */
	K3_PLAN_STATE,   /* KDA state and convolution inputs */
	K3_PLAN_LATENTS, /* MLA cache for the context */
	K3_PLAN_CHUNK,   /* activations of one pass */
	K3_PLAN_LOGITS,
	K3_PLAN_FILES, /* what the caller writes */
	K3_PLAN_NITEM
};

/* What is asked for. */
struct k3_plan_ask {
	uint64_t trunk;     /* bytes for pins, ring and head; 0: the least */
	uint64_t cache;     /* bytes for the expert cache; 0: the least */
	uint64_t ram;       /* cap on everything, or UINT64_MAX */
	uint32_t context;   /* positions a sequence can have */
	uint32_t chunk;     /* tokens a pass, at most; 0: chosen here */
	uint32_t sequences; /* side by side */
	uint64_t prompt;    /* tokens to begin with; 0: not known */
	uint64_t count;     /* and to follow them */
	uint64_t files;     /* bytes that the caller's files take in memory */
	uint64_t digests;   /* and those of a sidecar */
	uint32_t lookahead; /* experts of the next layer read on a guess */
	bool no_logits;     /* of any token: lm_head is not looked at */
	unsigned threads;
};

/* What is kept for each matrix: where it stands, and its read. */
#define K3_PLAN_PIECE ((uint64_t)384)

struct k3_plan {
	const struct k3_cfg *cfg;
	const struct k3_st *st;
	struct k3_plan_ask ask;
	uint64_t item[K3_PLAN_NITEM]; /* bytes */
	uint64_t total;
	uint32_t chunk;
	uint64_t ring;      /* bytes; 0 if all is pinned */
	uint64_t head_rows; /* of lm_head that are read at once */
	size_t npiece;      /* matrices, and parts of lm_head */
	uint64_t pinned[K3_MAX_LAYERS + 1]; /* bit t; [nlayer]: the head */
	size_t slots;                       /* places for experts, */
	uint32_t passage; /* of which so many are for those that do not stay */
	uint64_t slot_bytes;
	uint64_t scratch; /* bytes of CHUNK that sub-layers share */
};

/*
 * Divide the memory.  Under a cap the cache gives way first, then pins, then
 * the chunk.  'cfg' and 'st' must outlive the plan.  0, or -1: with
 * EX_UNAVAILABLE and both numbers, or EX_USAGE if the context is longer than
 * the model's max_position_embeddings.
 */
int k3_plan_make(struct k3_plan *plan, const struct k3_cfg *cfg,
    const struct k3_st *st, const struct k3_plan_ask *ask, struct k3_err *err);

/*
 * Divide the memory of a plan anew, for other sizes than were asked for.  False
 * if that does not fit; then it must be divided again before use.
 */
bool k3_plan_divide(struct k3_plan *plan, uint64_t trunk, uint64_t cache,
    uint32_t chunk);

/* For tables: the name of an item, and what it is for. */
const char *k3_plan_name(enum k3_plan_item item);
const char *k3_plan_why(enum k3_plan_item item);

/* Bytes read for one generated token: trunk that streams; experts, uncached. */
uint64_t k3_plan_trunk_reads(const struct k3_plan *plan);
uint64_t k3_plan_expert_reads(const struct k3_plan *plan);

/* Does a matrix stay in memory? */
bool k3_plan_pins(const struct k3_plan *plan, unsigned layer, enum k3_tensor t);

/* Experts that can stay. */
uint32_t k3_plan_cached(const struct k3_plan *plan);

/* Bytes of the matrices that do, and of all. */
uint64_t k3_plan_pinned(const struct k3_plan *plan);
uint64_t k3_plan_matrices(const struct k3_plan *plan);

/* The five presets: name, and bytes of trunk and cache.  NULL ends them. */
struct k3_preset {
	const char *name;
	uint64_t trunk, cache;
};
extern const struct k3_preset k3_presets[];

#endif
