/*
 * ring.c - nothing held is handed out twice, and what must fit does
 */
#include <string.h>

#include "common/ring.h"
#include "tests/tap.h"

#define SIZE 997
#define MOST 40

static uint32_t seed = 1;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Take and give at random; every byte belongs to one piece at most. */
static bool
soak(uint32_t longest)
{
	static uint8_t owner[SIZE];
	struct k3_ring ring;
	struct k3_err err;
	bool good = true;
	uint32_t tag = 1;

	memset(owner, 0, sizeof(owner));
	if (k3_ring_init(&ring, SIZE, MOST, &err) != 0)
		return false;
	for (int i = 0; i < 200000 && good; i++) {
		const struct k3_ring_piece *p = k3_ring_held(&ring, 0);
		uint64_t len = 1 + rnd(longest), off;

		if (rnd(2) == 0 && p != NULL) {
			memset(owner + p->off, 0, p->len);
			k3_ring_give(&ring);
		} else if (k3_ring_take(&ring, tag, len, &off)) {
			good = off + len <= SIZE;
			for (uint64_t k = 0; k < len && good; k++)
				good = owner[off + k] == 0;
			memset(owner + off, 1, good ? len : 0);
			tag++;
		} else {
			good = p != NULL;
		}
	}
	k3_ring_fini(&ring);
	return good;
}

/*
 * The plan's rule: with room for a sum and the longest piece on top of it,
 * pieces up to that sum can be held, wherever the ring's end falls.
 */
static bool
holds(uint64_t sum, uint64_t longest)
{
	struct k3_ring ring;
	struct k3_err err;
	uint64_t off, used = 0;
	bool good = true;

	if (k3_ring_init(&ring, sum + longest, 10000, &err) != 0)
		return false;
	for (int i = 0; i < 100000 && good; i++) {
		uint64_t len = 1 + rnd((uint32_t)longest);

		while (used + len > sum) {
			used -= k3_ring_held(&ring, 0)->len;
			k3_ring_give(&ring);
		}
		good = k3_ring_take(&ring, 0, len, &off);
		used += len;
	}
	k3_ring_fini(&ring);
	return good;
}

int
main(void)
{
	struct k3_ring ring;
	struct k3_err err;
	uint64_t off;

	ok(soak(20), "short pieces, most of them held: no byte has two owners");
	ok(soak(SIZE), "pieces up to the whole ring");
	ok(holds(500, 100) && holds(64, 64) && holds(1000, 1),
	    "a sum fits into itself and the longest piece");
	if (k3_ring_init(&ring, 100, 2, &err) != 0)
		return 1;
	ok(k3_ring_take(&ring, 7, 100, &off) && off == 0,
	    "an empty ring holds a piece of its size");
	ok(!k3_ring_take(&ring, 8, 1, &off), "and then nothing more");
	k3_ring_give(&ring);
	ok(!k3_ring_take(&ring, 9, 101, &off), "a longer piece is refused");
	ok(k3_ring_take(&ring, 1, 1, &off) && k3_ring_take(&ring, 2, 1, &off) &&
		!k3_ring_take(&ring, 3, 1, &off),
	    "more pieces than there is a list for are refused");
	ok(k3_ring_held(&ring, 0)->tag == 1 &&
		k3_ring_held(&ring, 1)->tag == 2 &&
		k3_ring_held(&ring, 2) == NULL,
	    "pieces are held in order");
	k3_ring_fini(&ring);
	return tap_done();
}
