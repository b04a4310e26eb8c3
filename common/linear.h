/*
 * linear.h - stored matrices and vectors of the layer in work
 */
#ifndef K3_COMMON_LINEAR_H
#define K3_COMMON_LINEAR_H

#include "common/pass.h"

/*
 * y[i] = W x[i] for 'tokens' rows, W a [rows][n] tensor of the layer; x is
 * [tokens][n], y [tokens][rows].  A result that is not finite is EX_DATAERR
 * and names the tensor.
 */
int k3_linear(struct k3_pass *pass, enum k3_tensor t, const float *x, float *y,
    size_t tokens, struct k3_err *err);

/* The same product with weights at hand; 'name' is for the message. */
int k3_linear_weight(const struct k3_pass *pass, struct k3_weight w,
    const char *name, const float *x, size_t ldx, float *y, size_t ldy,
    size_t tokens, struct k3_err *err);

/* And with a routed expert's matrix; 'part' names it, of expert 'number'. */
int k3_linear_mx(const struct k3_pass *pass, struct k3_mx w, unsigned number,
    enum k3_part part, const float *x, float *y, size_t tokens,
    struct k3_err *err);

/*
 * A tensor of the layer, whole, as float32, in scratch; NULL on failure.  A
 * number in it that is not finite is one: a sigmoid, or a choice among experts,
 * would hide it from the products.
 */
const float *k3_vector(struct k3_pass *pass, enum k3_tensor t,
    struct k3_err *err);

/* The same of one at hand; 'name' is for the message. */
const float *k3_vector_weight(struct k3_pass *pass, struct k3_weight w,
    const char *name, struct k3_err *err);

#endif
