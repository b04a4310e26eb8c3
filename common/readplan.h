/*
 * readplan.h - the reads that routes ask for, in the order of the engine
 *
 * A visit is a layer in a pass: it demands each expert that any of its tokens
 * goes to, once, in rising number, and each is one read, or more where its
 * parts do not adjoin.
 */
#ifndef K3_COMMON_READPLAN_H
#define K3_COMMON_READPLAN_H

#include <stdbool.h>

#include "common/routes.h"
#include "common/st.h"

struct k3_readplan_read {
	uint64_t pass;
	unsigned layer, expert;
	struct k3_loc loc; /* the file is for k3_st_path() */
};

/* -1 with 'err' filled in ends the work. */
typedef int k3_readplan_fn(void *arg, const struct k3_readplan_read *read,
    struct k3_err *err);

struct k3_readplan {
	k3_readplan_fn *fn;
	void *arg;

	/* The rest is its own. */
	const struct k3_cfg *cfg;
	const struct k3_st *st;
	bool *wanted; /* [experts], of the visit */
	bool open;    /* there is one */
	uint64_t pass;
	unsigned layer;
};

/* Both must outlive it; 'fn' and 'arg' are the caller's to set.  0 or -1. */
int k3_readplan_init(struct k3_readplan *p, const struct k3_cfg *cfg,
    const struct k3_st *st, struct k3_err *err);
void k3_readplan_fini(struct k3_readplan *p);

/*
 * Add a route.  If it begins another visit, 'fn' is told of the reads of the
 * one before; end tells of the last.  0, or -1: what 'fn' says, or EX_DATAERR,
 * the layer has no experts, or not that one.
 */
int k3_readplan_add(struct k3_readplan *p, const struct k3_route *route,
    struct k3_err *err);
int k3_readplan_end(struct k3_readplan *p, struct k3_err *err);

#endif
