/*
 * stats.h - what was read for the passes of a model so far
 */
#ifndef K3_COMMON_STATS_H
#define K3_COMMON_STATS_H

#include <stdint.h>

/* The dense layers and the head. */
struct k3_trunk_stats {
	uint64_t bytes;  /* read, and used */
	uint64_t unused; /* asked for ahead, and not used so far */
	double wait;     /* seconds spent on it */
};

/* The routed experts; a demand is an expert of a layer in a pass. */
struct k3_experts_stats {
	uint64_t demands, hits, misses, evictions, bypassed, bytes;
	uint64_t right, wrong; /* experts read on a guess */
	double wait;           /* seconds spent reading */
};

#endif
