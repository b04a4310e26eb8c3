/*
 * plan-trunk.c - which matrices stay in memory, and how large the ring is
 *
 * Each byte that is pinned saves reading it for each pass, whichever matrix it
 * belongs to.  So the room is filled to the brim, and what is pinned is spread
 * evenly over the pass: then there is always something to read while compute
 * works on what is there.
 */
#include "common/io.h"
#include "common/mem.h"
#include "common/planimpl.h"

/* Rows of lm_head are read some at a time, in about so many bytes. */
#define HEAD_SLOT ((uint64_t)16 << 20)

uint64_t
k3_plan_matrix(const struct k3_plan *plan, unsigned layer, unsigned t)
{
	struct k3_shape shape;

	if (t == K3_T_EMBED || k3_tensor_small((enum k3_tensor)t) ||
	    (t == K3_T_LM_HEAD && plan->ask.no_logits) ||
	    !k3_tensor_shape(plan->cfg, layer, (enum k3_tensor)t, &shape))
		return 0;
	return k3_st_tensor(plan->st, layer, (enum k3_tensor)t).len;
}

/* The largest place that so many bytes take, wherever they stand. */
static uint64_t
place(uint64_t bytes)
{
	return bytes == 0 ? 0 : k3_io_room(K3_IO_ALIGN - 1, bytes);
}

bool
k3_plan_pins(const struct k3_plan *plan, unsigned layer, enum k3_tensor t)
{
	return (plan->pinned[layer] >> t & 1) != 0;
}

void
k3_plan_measure_trunk(struct k3_plan *plan)
{
	unsigned nlayer = plan->cfg->nlayer;
	uint64_t small = 0, row, vocab = plan->cfg->vocab;
	struct k3_shape shape;

	plan->npiece = 0;
	for (unsigned i = 0; i <= nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			if (k3_plan_matrix(plan, i, t) > 0)
				plan->npiece++;
			else if (k3_tensor_small((enum k3_tensor)t) &&
				 k3_tensor_shape(plan->cfg, i,
				     (enum k3_tensor)t, &shape))
				small += (k3_st_tensor(plan->st, i,
					      (enum k3_tensor)t)
						 .len +
					     K3_ALIGN - 1) /
					 K3_ALIGN * K3_ALIGN;
		}
	plan->item[K3_PLAN_VECTORS] = k3_mem_size(small);
	if (plan->ask.no_logits)
		return;
	row = k3_plan_matrix(plan, nlayer, K3_T_LM_HEAD) / vocab;
	plan->head_rows =
	    k3_plan_least(vocab, k3_plan_most(1, HEAD_SLOT / row));
	plan->npiece += (vocab + plan->head_rows - 1) / plan->head_rows;
}

/* Bytes that a matrix needs at once to pass through the ring. */
static uint64_t
passing(const struct k3_plan *plan, unsigned layer, unsigned t)
{
	uint64_t bytes = k3_plan_matrix(plan, layer, t);

	if (k3_plan_pins(plan, layer, (enum k3_tensor)t))
		return 0;
	if (t == K3_T_LM_HEAD)
		bytes = bytes / plan->cfg->vocab * plan->head_rows;
	return place(bytes);
}

/*
 * All that may be in use at once: of a half-layer, up to where a ffn lets what
 * it has used go and comes down again; and the largest matrix: so much may be
 * lost where the ring's end is too short for one.  0 if nothing is left to
 * read.  More than that saves no bytes: with one and a half times as much in
 * the ring and not in pins, the disk was as busy, at 97 % of the time.
 */
static uint64_t
ring_bytes(const struct k3_plan *plan)
{
	uint64_t half = 0, largest = 0;

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++) {
		uint64_t sum = 0;

		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			uint64_t bytes = passing(plan, i, t);

			if (t == K3_T_FFN_RES_NORM || t == K3_T_DENSE_DOWN ||
			    t == K3_T_SHARED_DOWN)
				sum = 0;
			sum += bytes;
			half = k3_plan_most(half, sum);
			largest = k3_plan_most(largest, bytes);
		}
	}
	return half == 0 ? 0 : k3_mem_size(half + largest);
}

/* Pin everything; what that takes. */
static uint64_t
pin_all(struct k3_plan *plan)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++) {
		plan->pinned[i] = UINT64_MAX;
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			sum += place(k3_plan_matrix(plan, i, t));
	}
	return sum;
}

/* Lookahead asks each layer's router before it is that layer's turn. */
static uint64_t
pin_routers(struct k3_plan *plan, uint64_t share)
{
	uint64_t used = 0;

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++) {
		uint64_t bytes = place(k3_plan_matrix(plan, i, K3_T_ROUTER));

		plan->pinned[i] = 0;
		if (plan->ask.lookahead == 0 || bytes == 0 ||
		    bytes > share - used)
			continue;
		plan->pinned[i] = (uint64_t)1 << K3_T_ROUTER;
		used += bytes;
	}
	return used;
}

/*
 * Pin 'share' of 'total' bytes and not more, evenly: a matrix is pinned when
 * half of it is due.
 */
static uint64_t
spread(struct k3_plan *plan, uint64_t share, uint64_t total)
{
	double part = (double)share / (double)total, due = 0;
	uint64_t used = pin_routers(plan, share);

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			uint64_t bytes = place(k3_plan_matrix(plan, i, t));

			if (k3_plan_pins(plan, i, (enum k3_tensor)t))
				continue;
			due += part * (double)bytes;
			if (bytes == 0 || due < (double)bytes / 2 ||
			    bytes > share - used)
				continue;
			plan->pinned[i] |= (uint64_t)1 << t;
			due -= (double)bytes;
			used += bytes;
		}
	return used;
}

/* What is left goes to whatever still fits. */
static uint64_t
top_up(struct k3_plan *plan, uint64_t share, uint64_t used)
{
	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			uint64_t bytes = place(k3_plan_matrix(plan, i, t));

			if (bytes == 0 || bytes > share - used ||
			    k3_plan_pins(plan, i, (enum k3_tensor)t))
				continue;
			plan->pinned[i] |= (uint64_t)1 << t;
			used += bytes;
		}
	return used;
}

uint64_t
k3_plan_divide_trunk(struct k3_plan *plan, uint64_t room)
{
	uint64_t total = pin_all(plan), used = total, ring = 0;

	if (k3_mem_size(total) > room) {
		used = spread(plan, 0, total);
		ring = ring_bytes(plan);
		if (ring < room) {
			used = spread(plan, k3_mem_fits(room - ring), total);
			ring = ring_bytes(plan);
			used = top_up(plan, k3_mem_fits(room - ring), used);
			ring = ring_bytes(plan);
		}
	}
	plan->ring = ring;
	plan->item[K3_PLAN_RING] = ring;
	plan->item[K3_PLAN_PINS] = used == 0 ? 0 : k3_mem_size(used);
	return ring + plan->item[K3_PLAN_PINS];
}

uint64_t
k3_plan_pinned(const struct k3_plan *plan)
{
	return k3_plan_matrices(plan) - k3_plan_trunk_reads(plan);
}

uint64_t
k3_plan_matrices(const struct k3_plan *plan)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			bytes += k3_plan_matrix(plan, i, t);
	return bytes;
}

uint64_t
k3_plan_trunk_reads(const struct k3_plan *plan)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i <= plan->cfg->nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (!k3_plan_pins(plan, i, (enum k3_tensor)t))
				bytes += k3_plan_matrix(plan, i, t);
	return bytes;
}
