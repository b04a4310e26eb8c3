/*
 * attnres.h - attention over the residual stream's snapshots
 */
#ifndef K3_COMMON_ATTNRES_H
#define K3_COMMON_ATTNRES_H

#include "common/pass.h"

/*
 * y = attnres(B, p; norm, proj), for each row: the sources are the 'nsnap'
 * snapshots, then p; a source's score is dot(rms(source, norm), proj); y is
 * the sum over sources, in order from 0 by fma, of softmax(scores) times the
 * raw source.  The softmax subtracts the largest score, adds in order, and
 * divides each term by the sum.
 *
 * snap[i] and p are [rows][hidden]; y may be neither.
 */
void k3_attnres(struct k3_pass *pass, const float *const *snap, size_t nsnap,
    const float *p, const float *norm, const float *proj, float *y,
    size_t rows);

#endif
