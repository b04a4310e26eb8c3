/*
 * flow.h - ranges of files, read ahead through the queue, delivered in order
 *
 * For those who read much and only once: several blocks are on their way while
 * the one before is looked at.  One thread uses a flow; several flows may share
 * a queue.
 */
#ifndef K3_COMMON_FLOW_H
#define K3_COMMON_FLOW_H

#include "common/io.h"

struct k3_flow; /* opaque */

struct k3_flow_range {
	struct k3_io_file *file;
	uint64_t off, len; /* of at least one byte */
	const char *what;  /* for messages; lives until it was delivered */
};

/* What is to be read next: 1; 0 after the last; or -1 with 'err'. */
typedef int k3_flow_next_fn(void *arg, struct k3_flow_range *range,
    struct k3_err *err);

struct k3_flow_block {
	const uint8_t *data; /* good until the next call */
	size_t len;
	bool dead; /* after a failure: nothing more can be read */
};

/* Memory for 'n' blocks of 'bytes', a multiple of K3_IO_ALIGN.  NULL: EX_OSERR.
 */
struct k3_flow *k3_flow_open(struct k3_io *io, size_t bytes, unsigned n,
    k3_flow_next_fn *next, void *arg, struct k3_err *err);

/* Waits for what is on its way.  NULL is fine. */
void k3_flow_close(struct k3_flow *flow);

/* Start reads as far ahead as there is room.  get() does it too. */
int k3_flow_fill(struct k3_flow *flow, struct k3_err *err);

/*
 * The next block: 1; 0 after the last; or -1: as 'next' or k3_io_wait() say.
 * In the latter case len is right, and it may be called again.
 */
int k3_flow_get(struct k3_flow *flow, struct k3_flow_block *block,
    struct k3_err *err);

#endif
