/*
 * ring.h - room in a ring, taken and given back in the same order
 *
 * Only the arithmetic: offsets, no bytes.  What was taken and not yet given
 * back is never handed out again, so that who reads into a fresh piece cannot
 * write over one in use.
 */
#ifndef K3_COMMON_RING_H
#define K3_COMMON_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct k3_ring_piece {
	uint32_t tag; /* the caller's */
	uint64_t off, len;
};

struct k3_ring {
	uint64_t size;
	uint32_t most, first, count; /* pieces: room for, the oldest, held */
	struct k3_ring_piece *piece; /* [most] */
};

/* 'most' pieces at once.  0, or -1 with EX_OSERR. */
int k3_ring_init(struct k3_ring *ring, uint64_t size, uint32_t most,
    struct k3_err *err);
void k3_ring_fini(struct k3_ring *ring);

/*
 * Take 'len' bytes, in one piece: *off is where.  False if they are not free;
 * with nothing held, any len up to the size is.
 */
bool k3_ring_take(struct k3_ring *ring, uint32_t tag, uint64_t len,
    uint64_t *off);

/* Piece number i of those held, from the oldest; NULL after the newest. */
const struct k3_ring_piece *k3_ring_held(const struct k3_ring *ring,
    uint32_t i);

/* Give the oldest back. */
void k3_ring_give(struct k3_ring *ring);

#endif
