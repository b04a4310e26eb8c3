/*
 * flow.c - ranges of files, read ahead through the queue, delivered in order
 */
#include <stdlib.h>

#include "common/flow.h"
#include "common/mem.h"

struct k3_flow {
	struct k3_io *io;
	size_t bytes; /* of a block */
	unsigned n;   /* slots, a ring: */
	unsigned first, count;
	bool held; /* the first was delivered, and is in use */
	bool end, dead;
	struct k3_io_read *slot;
	uint8_t *mem; /* [n][bytes + 1 unit] */
	k3_flow_next_fn *next;
	void *arg;
	struct k3_flow_range range; /* in work; len 0: none */
};

struct k3_flow *
k3_flow_open(struct k3_io *io, size_t bytes, unsigned n, k3_flow_next_fn *next,
    void *arg, struct k3_err *err)
{
	struct k3_flow *flow = calloc(1, sizeof(*flow));

	if (flow != NULL)
		flow->slot = calloc(n, sizeof(*flow->slot));
	if (flow == NULL || flow->slot == NULL) {
		free(flow);
		k3_fail(err, EX_OSERR, "cannot allocate 'blocks'");
		return NULL;
	}
	flow->io = io;
	flow->bytes = bytes;
	flow->n = n;
	flow->next = next;
	flow->arg = arg;
	flow->mem = k3_mem_alloc(n * (bytes + K3_IO_ALIGN), "blocks", err);
	if (flow->mem == NULL) {
		free(flow->slot);
		free(flow);
		return NULL;
	}
	return flow;
}

void
k3_flow_close(struct k3_flow *flow)
{
	struct k3_err err;
	bool lost = false;

	if (flow == NULL)
		return;
	for (unsigned i = flow->held; i < flow->count; i++) {
		struct k3_io_read *s = &flow->slot[(flow->first + i) % flow->n];

		lost |= k3_io_wait(flow->io, s, &err) != 0 && s->lost;
	}
	/* Where the kernel may still write, memory is not given back. */
	if (lost || flow->dead)
		return;
	k3_mem_free(flow->mem, flow->n * (flow->bytes + K3_IO_ALIGN));
	free(flow->slot);
	free(flow);
}

/* Blocks end at units, so that no two reads cover the same one. */
static void
start(struct k3_flow *flow)
{
	unsigned i = (flow->first + flow->count) % flow->n;
	struct k3_io_read *s = &flow->slot[i];
	struct k3_flow_range *r = &flow->range;
	size_t skew = k3_io_skew(r->off);
	uint64_t len = flow->bytes - skew;

	len = len < r->len ? len : r->len;
	s->file = r->file;
	s->off = r->off;
	s->len = len;
	s->what = r->what;
	s->dst = flow->mem + i * (flow->bytes + K3_IO_ALIGN) + skew;
	r->off += len;
	r->len -= len;
	k3_io_start(flow->io, s, false);
	flow->count++;
}

int
k3_flow_fill(struct k3_flow *flow, struct k3_err *err)
{
	int got;

	while (!flow->end && flow->count < flow->n) {
		if (flow->range.len == 0) {
			got = flow->next(flow->arg, &flow->range, err);
			if (got < 0)
				return -1;
			if (got == 0)
				flow->end = true;
			if (got == 0 || flow->range.len == 0)
				continue;
		}
		start(flow);
	}
	return 0;
}

int
k3_flow_get(struct k3_flow *flow, struct k3_flow_block *block,
    struct k3_err *err)
{
	struct k3_io_read *s;

	if (flow->held) {
		flow->first = (flow->first + 1) % flow->n;
		flow->count--;
		flow->held = false;
	}
	block->dead = true;
	if (flow->dead)
		return k3_fail(err, EX_IOERR, "cannot read any more");
	if (k3_flow_fill(flow, err) != 0)
		return -1;
	if (flow->count == 0)
		return 0;
	s = &flow->slot[flow->first];
	flow->held = true;
	block->data = s->dst;
	block->len = s->len;
	block->dead = false;
	if (k3_io_wait(flow->io, s, err) == 0)
		return 1;
	block->dead = flow->dead = s->lost;
	return -1;
}
