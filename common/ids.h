/*
 * ids.h - token-ID streams: one sequence a line, as k3-ids(5) defines
 *
 * The reader takes a file descriptor and returns each ID as soon as the byte
 * behind it has arrived.  The writer puts IDs on a stdio stream.  Both structs
 * live with the caller; neither owns what it reads from or writes to.
 */
#ifndef K3_COMMON_IDS_H
#define K3_COMMON_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

/* What k3_ids_get() returns, besides -1. */
#define K3_IDS_EOF 0 /* the stream is over */
#define K3_IDS_ID  1 /* an ID */
#define K3_IDS_END 2 /* the end of a sequence */

struct k3_ids {
	const char *name; /* for messages */
	uint64_t line;    /* of what was returned last, from 1 */
	uint32_t limit;   /* IDs are below this */

	/*
	 * Called, if not NULL, before a read that may have to wait: here a
	 * filter pushes on what it has.  Returns 0, or -1 with the error.
	 */
	int (*wait)(void *arg, struct k3_err *err);
	void *arg;

	/* The rest is the reader's own. */
	int fd;    /* -1: memory */
	bool open; /* inside a line */
	const char *p, *end;
	char buf[16384];
};

/* One whole sequence; all zeros at first. */
struct k3_ids_seq {
	uint32_t *id;
	size_t n, cap;
};

struct k3_ids_out {
	FILE *fp;
	const char *name; /* for messages */
	bool flush;       /* after each ID: the reader may be waiting for it */
	bool open;        /* inside a line; false at first */
};

/* Begin to read from 'fd', or from memory, with 'wait' unset. */
void k3_ids_init(struct k3_ids *ids, int fd, const char *name, uint32_t limit);
void k3_ids_init_mem(struct k3_ids *ids, const char *text, size_t len,
    const char *name, uint32_t limit);

/*
 * Read on.  Returns K3_IDS_ID with '*id' set, K3_IDS_END behind the last ID of
 * each line, K3_IDS_EOF, or -1: EX_DATAERR with the line, or EX_IOERR.
 */
int k3_ids_get(struct k3_ids *ids, uint32_t *id, struct k3_err *err);

/*
 * Read a sequence whole, in place of what 'seq' has.  Returns 1, or 0 at the
 * end of the stream, or -1; a line of more than 'max' IDs is EX_DATAERR.
 */
int k3_ids_line(struct k3_ids *ids, struct k3_ids_seq *seq, size_t max,
    struct k3_err *err);

void k3_ids_seq_fini(struct k3_ids_seq *seq);

/* Write one ID; end the sequence (and push it on if 'flush' is set). */
int k3_ids_put(struct k3_ids_out *out, uint32_t id, struct k3_err *err);
int k3_ids_end(struct k3_ids_out *out, struct k3_err *err);

#endif
