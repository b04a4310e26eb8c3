/*
 * sample.c - the next ID from a row of logits
 */
#include "common/sample.h"

uint32_t
k3_argmax(const float *logits, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}
