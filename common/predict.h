/*
 * predict.h - how many bytes, and how many seconds, a plan costs
 *
 * Trunk is read while compute works on what is there.  Which experts a layer
 * needs is known when its router has run: their reads overlap only with the
 * experts' own part of compute.  So a pass takes
 *
 *	max(trunk / disk, compute - part) + max(experts / disk, part)
 *
 * Which experts tokens go to is not known: a prompt's are taken to be spread
 * evenly, which is the most that can be read, and a token finds in the cache
 * what recorded tokens of a relative of the model have found.
 */
#ifndef K3_COMMON_PREDICT_H
#define K3_COMMON_PREDICT_H

#include "common/plan.h"

/* Of this machine; 0: not known, and then no part of the seconds. */
struct k3_speed {
	double disk;   /* bytes a second */
	double memory; /* bytes of weights a second, for one token */
	double flops;  /* a second, for many */
};

struct k3_cost {
	double trunk, experts; /* bytes read */
	double seconds;
};

/* The share of a token's experts that are in the cache, from its size. */
double k3_predict_hits(const struct k3_plan *plan);

/* A token after the prompt, 'hits' of whose experts are in the cache. */
void k3_predict_token(const struct k3_plan *plan, const struct k3_speed *speed,
    double hits, struct k3_cost *cost);

/* A prompt of n tokens, in the plan's chunks, without the pins' own reads. */
void k3_predict_prompt(const struct k3_plan *plan, const struct k3_speed *speed,
    uint64_t n, struct k3_cost *cost);

#endif
