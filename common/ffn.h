/*
 * ffn.h - the second half of a layer: a dense ffn, or a mixture of experts
 */
#ifndef K3_COMMON_FFN_H
#define K3_COMMON_FFN_H

#include "common/pass.h"

/* out = down(situ(gate x, up x)), a dense layer. */
int k3_dense(struct k3_pass *pass, const float *x, float *out,
    struct k3_err *err);

/*
 * A MoE layer: out = routed_expert_up(rms(r, routed_expert_norm)) + shared,
 * where r is the weighted sum of the picked experts in the latent space, in
 * rising expert number.
 */
int k3_moe(struct k3_pass *pass, const float *x, float *out,
    struct k3_err *err);

#endif
