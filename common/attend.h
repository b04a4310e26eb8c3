/*
 * attend.h - attention over the latents of a sequence, for several queries
 */
#ifndef K3_COMMON_ATTEND_H
#define K3_COMMON_ATTEND_H

#include <stddef.h>

#include "kernels/kernels.h"

/*
 * So many queries together, at most, keep a core's FMAs busy with each block
 * of latents, while they and the block still fit into its second cache.
 */
#define K3_ATTEND_QUERIES 64

/*
 * Threads take queries in pieces of so many, if each gets as many: with fewer
 * together, a core waits for the latents, which every piece reads again.
 */
#define K3_ATTEND_PIECE 24

/*
 * Queries of tokens that follow each other, the first of them at position
 * 'pos'; a token sees all positions up to its own.  'score', 'm' and 'sum' are
 * memory to work in.
 */
struct k3_attend {
	const float *latents; /* [pos + tokens][width] */
	size_t width, nvalue; /* a query acts on all, the softmax on nvalue */
	float scale;
	size_t pos, tokens, heads;
	const float *query; /* [tokens][heads][width] */
	float *out;         /* [tokens][heads][nvalue] */
	float *score;       /* [tokens][heads][K3_ATTEND] */
	float *m, *sum;     /* [tokens][heads] */
};

/* The blocks of positions are outside, so that latents are read once. */
void k3_attend(const struct k3_kern *kern, const struct k3_attend *a);

#endif
