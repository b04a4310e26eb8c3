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
#include "common/speed.h"

/* What passes read and compute with: of a plan, or as a run has told. */
struct k3_load {
	double matrices; /* bytes of all that are not experts, */
	double beside;   /* of those used while experts are read, */
	double trunk;    /* of those that each pass reads */
	double expert;   /* bytes of one */
	double layers;   /* that have experts, */
	double experts;  /* each so many, */
	double topk;     /* of which a token goes to so many */
	double cached;   /* experts that can stay */
	double chunk;    /* tokens of a prompt in one pass */
};

struct k3_cost {
	double trunk, experts; /* bytes read */
	double seconds;
};

void k3_predict_load(const struct k3_plan *plan, struct k3_load *load);

/* The share of a token's experts that are in the cache, from its size. */
double k3_predict_hits(const struct k3_load *load);

/* A token after the prompt, 'hits' of whose experts are in the cache. */
void k3_predict_token(const struct k3_load *load, const struct k3_speed *speed,
    double hits, struct k3_cost *cost);

/* A prompt of n tokens, in the plan's chunks, without the pins' own reads. */
void k3_predict_prompt(const struct k3_load *load, const struct k3_speed *speed,
    double n, struct k3_cost *cost);

/*
 * Add a pass of n tokens that go to 'used' experts, all layers together, and
 * read bytes of trunk and of experts.
 */
void k3_predict_pass(const struct k3_load *load, const struct k3_speed *speed,
    double n, double used, double trunk, double experts, struct k3_cost *cost);

/* How many experts, all layers together, n tokens of a prompt go to. */
double k3_predict_used(const struct k3_load *load, double n);

/*
 * Products' share of compute: bytes of weights that pass through the cores for
 * a token, and multiplications and additions of a pass of n.
 */
double k3_predict_bytes(const struct k3_load *load);
double k3_predict_flops(const struct k3_load *load, double n);

#endif
