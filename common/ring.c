/*
 * ring.c - room in a ring, taken and given back in the same order
 */
#include <assert.h>
#include <stdlib.h>

#include "common/ring.h"

int
k3_ring_init(struct k3_ring *ring, uint64_t size, uint32_t most,
    struct k3_err *err)
{
	ring->size = size;
	ring->most = most;
	ring->first = ring->count = 0;
	ring->piece = calloc((size_t)most + 1, sizeof(*ring->piece));
	if (ring->piece == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'ring': out of memory");
	return 0;
}

void
k3_ring_fini(struct k3_ring *ring)
{
	free(ring->piece);
	ring->piece = NULL;
}

static struct k3_ring_piece *
held(const struct k3_ring *ring, uint32_t i)
{
	return &ring->piece[(ring->first + i) % ring->most];
}

const struct k3_ring_piece *
k3_ring_held(const struct k3_ring *ring, uint32_t i)
{
	return i < ring->count ? held(ring, i) : NULL;
}

/* A piece never wraps: what is left before the end is passed over. */
bool
k3_ring_take(struct k3_ring *ring, uint32_t tag, uint64_t len, uint64_t *off)
{
	uint64_t begin, end;
	struct k3_ring_piece *p;

	if (ring->count == ring->most || len > ring->size)
		return false;
	*off = 0;
	if (ring->count > 0) {
		p = held(ring, ring->count - 1);
		end = p->off + p->len;
		begin = held(ring, 0)->off;
		if (p->off < begin) { /* the newest has wrapped */
			if (begin - end < len)
				return false;
			*off = end;
		} else if (ring->size - end >= len) {
			*off = end;
		} else if (begin < len) {
			return false;
		}
	}
	p = held(ring, ring->count++);
	p->tag = tag;
	p->off = *off;
	p->len = len;
	return true;
}

void
k3_ring_give(struct k3_ring *ring)
{
	assert(ring->count > 0);
	ring->first = (ring->first + 1) % ring->most;
	ring->count--;
}
