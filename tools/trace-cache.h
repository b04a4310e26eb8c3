/*
 * trace-cache.h - the parts of k3-trace cache
 */
#ifndef K3_TOOLS_TRACE_CACHE_H
#define K3_TOOLS_TRACE_CACHE_H

#include <stdbool.h>

#include "common/routes.h"
#include "common/simcache.h"
#include "tools/trace-input.h"

#define TRACE_CACHE_POLICIES 4

struct trace_cache {
	/* What was asked for. */
	const char *model; /* or NULL */
	uint64_t *value;   /* [nslots]: bytes or slots; or NULL */
	bool in_bytes;
	enum k3_sim_policy policy[TRACE_CACHE_POLICIES];
	size_t npolicy;
	double disk; /* bytes a second; 0: not said */
	char kind;   /* of passes; 0: all */
	bool json, quiet, verbose;

	struct k3_routes_shape shape;
	uint64_t expert_bytes; /* 0: not known */
	uint32_t *slots;       /* [nslots] */
	size_t nslots;
	bool ladder; /* they are the default's: rows above all are left out */

	/* What was read, and counted. */
	struct k3_simcache *sim[TRACE_CACHE_POLICIES];
	struct k3_cache_counts *counts[TRACE_CACHE_POLICIES]; /* [nslots] */
	uint64_t tokens;
	uint64_t all; /* experts of the layers that occur */
};

/* An option's list of policies: a name more than once is once. */
void trace_cache_policies(struct trace_cache *t, char *arg);
const char *trace_cache_policy(enum k3_sim_policy policy);

/* An option's list of sizes, in bytes if t->in_bytes, in place of another. */
void trace_cache_list(struct trace_cache *t, char *arg);

/* Before the input is opened: is the size of an expert known, where needed? */
void trace_cache_model(struct trace_cache *t);

/* And then: the size of an expert, and slots, for routes of t->shape. */
void trace_cache_sizes(struct trace_cache *t, const char *name);

/* All of them, of the policies and sizes: counts, tokens and all. */
void trace_cache_replay(struct trace_cache *t, struct trace_input *in);

void trace_cache_print(const struct trace_cache *t);

#endif
