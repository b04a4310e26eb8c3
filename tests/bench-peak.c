/*
 * bench-peak.c - how fast memory can be read and FMAs be done, in plain C
 *
 * Where the baseline CPU has FMA (AArch64) a compiler makes vectors of this;
 * elsewhere it is what code without a level can do.
 */
#include <math.h>
#include <string.h>

#include "tests/bench.h"

uint64_t
bench_read_plain(const uint8_t *p, size_t len)
{
	uint64_t s[8] = { 0 }, w[8];

	for (size_t i = 0; i < len; i += sizeof(w)) {
		memcpy(w, p + i, sizeof(w));
		for (int k = 0; k < 8; k++)
			s[k] += w[k];
	}
	for (int k = 1; k < 8; k++)
		s[0] += s[k];
	return s[0];
}

float
bench_fma_plain(size_t n)
{
	float s[48] = { 0 };

	for (size_t i = 0; i < n; i += 48)
		for (int k = 0; k < 48; k++)
			s[k] = fmaf(s[k], 0.5f, 1.0f);
	for (int k = 1; k < 48; k++)
		s[0] += s[k];
	return s[0];
}
