/*
 * router.h - which experts a token goes to
 */
#ifndef K3_COMMON_ROUTER_H
#define K3_COMMON_ROUTER_H

#include <stdint.h>

#include "common/pass.h"

/*
 * From one token's s = sigmoid(gate x), [experts], pick the topk largest of
 * s + bias, ties to the lower number.  'pick' gets them in rising number, and
 * weight[i] = s / (sum of the picked s, in that order, + 1e-20) * scaling,
 * without the bias.  'taken' is scratch, [experts].
 */
void k3_pick(const struct k3_cfg *cfg, const float *s, const float *bias,
    uint32_t *taken, uint32_t *pick, float *weight);

/*
 * The 'n' experts, no more than there are, with the largest s + bias, the
 * largest first, ties to the lower number.  's' is overwritten.
 */
void k3_pick_best(const struct k3_cfg *cfg, float *s, const float *bias,
    uint32_t *list, size_t n);

/*
 * Route pass->rows tokens x [rows][hidden] of pass->layer: picks and weights,
 * [rows][topk].
 */
int k3_route(struct k3_pass *pass, const float *x, uint32_t *pick,
    float *weight, struct k3_err *err);

/*
 * The 'n' experts that the next layer would pick for one token whose x
 * [hidden] were that of pass->layer, the likeliest first, into 'list'; less
 * than n, or 0 if its router is not in memory.
 */
size_t k3_route_ahead(struct k3_pass *pass, const float *x, uint32_t *list,
    size_t n);

#endif
