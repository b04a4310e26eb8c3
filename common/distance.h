/*
 * distance.h - how many others were demanded since: reuse distances, exactly
 *
 * The distance of a demand is the number of other (layer, expert) that were
 * demanded since the last demand of the same; the least recently used cache
 * has it if it has more slots than that.  Memory goes by layers times experts,
 * at most 21 bytes each, however many demands there are.
 */
#ifndef K3_COMMON_DISTANCE_H
#define K3_COMMON_DISTANCE_H

#include <stdint.h>

#include "common/err.h"

struct k3_distance; /* opaque */

/* Of experts below 'experts' in layers below 'layers'; NULL with EX_OSERR. */
struct k3_distance *k3_distance_new(uint32_t layers, uint32_t experts,
    struct k3_err *err);

/* Note a demand.  1 and '*distance', or 0 if it is the first, or -1. */
int k3_distance_demand(struct k3_distance *d, uint32_t layer, uint32_t expert,
    uint32_t *distance, struct k3_err *err);

void k3_distance_free(struct k3_distance *d); /* NULL is fine */

#endif
