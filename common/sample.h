/*
 * sample.h - the next ID from a row of logits
 */
#ifndef K3_COMMON_SAMPLE_H
#define K3_COMMON_SAMPLE_H

#include <stdint.h>

/* The number of the largest of n > 0 logits; a tie goes to the lowest. */
uint32_t k3_argmax(const float *logits, uint32_t n);

#endif
