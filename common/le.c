/*
 * le.c - little-endian numbers in bytes of any alignment
 */
#include "common/le.h"

uint32_t
k3_le_get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

uint64_t
k3_le_get64(const uint8_t *p)
{
	return (uint64_t)k3_le_get32(p) | (uint64_t)k3_le_get32(p + 4) << 32;
}

void
k3_le_put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

void
k3_le_put64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}
