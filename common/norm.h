/*
 * norm.h - root-mean-square normalisation
 */
#ifndef K3_COMMON_NORM_H
#define K3_COMMON_NORM_H

#include <stddef.h>

#include "kernels/kernels.h"

/* dot(x, y) in the order of every product (kernels.h). */
float k3_dot(const struct k3_kern *kern, const float *x, const float *y,
    size_t n);

/*
 * y = x * (1 / sqrt(mean(x^2) + eps)) * w, in this order; the mean is
 * dot(x, x) / n.  y may be x.
 */
void k3_rms(const struct k3_kern *kern, float *y, const float *x,
    const float *w, size_t n, float eps);

/* The same for 'rows' rows, [rows][n]. */
void k3_rms_rows(const struct k3_kern *kern, float *y, const float *x,
    const float *w, size_t rows, size_t n, float eps);

#endif
