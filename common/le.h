/*
 * le.h - little-endian numbers in bytes of any alignment
 */
#ifndef K3_COMMON_LE_H
#define K3_COMMON_LE_H

#include <stdint.h>

uint32_t k3_le_get32(const uint8_t *p);
uint64_t k3_le_get64(const uint8_t *p);
void k3_le_put32(uint8_t *p, uint32_t v);
void k3_le_put64(uint8_t *p, uint64_t v);

#endif
