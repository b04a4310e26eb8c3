/*
 * kda.h - Kimi Delta Attention: a layer's linear attention with a state
 *
 * Source: the technical report's KDA (arXiv 2607.24653) in the form that the
 * released code computes: decay = exp(lower * sigmoid(exp(A_log) (f + dt))).
 */
#ifndef K3_COMMON_KDA_H
#define K3_COMMON_KDA_H

#include "common/pass.h"

/* out = attention(x) of pass->layer, a KDA layer; moves the spans' states. */
int k3_kda(struct k3_pass *pass, const float *x, float *out,
    struct k3_err *err);

#endif
