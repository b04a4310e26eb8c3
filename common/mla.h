/*
 * mla.h - multi-head latent attention, absorbed
 *
 * Only the latent and the extra key dims of a position are kept.  kv_b_proj
 * is never applied to them: its k rows go into the query and its v rows act
 * on the weighted sum of latents.  Nothing is rotated.
 */
#ifndef K3_COMMON_MLA_H
#define K3_COMMON_MLA_H

#include "common/pass.h"

/*
 * out = attention(x) of pass->layer, an MLA layer; writes the latents of the
 * spans' new positions, for which their states must have room.
 */
int k3_mla(struct k3_pass *pass, const float *x, float *out,
    struct k3_err *err);

#endif
