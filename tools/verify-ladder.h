/*
 * verify-ladder.h - one prompt, run in many ways, must give the same each time
 *
 * A ladder has a base: the way in which a model is usually run.  Each rung
 * changes one thing of it, to several values; each of these is a way, and a
 * rung counts how many gave what the base gave.
 */
#ifndef K3_TOOLS_VERIFY_LADDER_H
#define K3_TOOLS_VERIFY_LADDER_H

#include <stddef.h>

#include "common/st.h"
#include "tools/verify-replay.h"

/* Three budgets, three counts of threads, seven chunks, and a few more. */
#define LADDER_WAYS 32

enum ladder_rung_name {
	LADDER_BUDGETS,
	LADDER_THREADS,
	LADDER_CHUNKS,
	LADDER_CPU,
	LADDER_IO,
	LADDER_TRUNK,
	LADDER_DIGESTS,
	LADDER_LOOKAHEAD,
	LADDER_TOGETHER, /* all of these at once */
	LADDER_NRUNG
};

struct ladder_way {
	enum ladder_rung_name rung;
	char name[64]; /* "chunk 7" */
	struct replay_way how;
	bool fits; /* into the memory that it may take */
};

/* What a rung, or any count of things that should be so, comes to. */
struct ladder_rung {
	const char *name;
	uint64_t good, of;
	uint64_t left;    /* that were not looked at */
	char first[1024]; /* the first that is not so, or "" */
};

struct ladder {
	struct replay_host host;
	struct replay_prompt prompt;
	struct replay_way base;
	struct k3_plan plan;      /* of the base */
	struct replay_step *step; /* [count]: what the base gave */
	struct ladder_way way[LADDER_WAYS];
	size_t nway, nfit; /* all, and those that fit */
	/* Functions, with host.arg, that may be NULL. */
	bool (*begin)(void *arg, const struct ladder_way *way); /* may it? */
	void (*done)(void *arg, const struct ladder_rung *rung);
};

const char *ladder_name(enum ladder_rung_name rung);

/*
 * Find what can be changed here, from base and its plan, which it makes; with
 * 'quick' only LADDER_TOGETHER.  -1: the plan of the base does not fit.
 */
int ladder_ways(struct ladder *l, bool quick, struct k3_err *err);

/* Run those that fit, rung by rung; 'step' has what they must give. */
int ladder_climb(struct ladder *l, struct k3_err *err);

/* Tokens that a way runs. */
uint64_t ladder_tokens(const struct ladder *l);

/*
 * Compare steps from..to-1 with those wanted; how the first that differs does
 * goes to rung->first, unless something is there.  How many are the same.
 */
uint32_t ladder_compare(struct ladder_rung *rung, const char *where,
    const struct replay_step *got, const struct replay_step *want,
    uint32_t from, uint32_t to);

#endif
