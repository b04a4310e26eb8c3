/*
 * ahead.h - experts read on a guess, before their layer demands them
 *
 * The next layer's router is asked about this layer's input, and what it would
 * pick is read where nothing more urgent is.  A guess that comes true is an
 * expert that has arrived, or is on its way; the others are read in vain.  The
 * cache hears of no guess.
 */
#ifndef K3_COMMON_AHEAD_H
#define K3_COMMON_AHEAD_H

#include "common/fetch.h"

struct k3_ahead; /* opaque */

struct k3_ahead_guess {
	unsigned layer, expert;
	uint8_t *place;
	struct k3_fetch fetch;
	bool open; /* not yet demanded, nor given up */
	bool held; /* in use by compute */
};

/* Memory for 'n' guesses at a time, of 'bytes' each.  NULL with EX_OSERR. */
struct k3_ahead *k3_ahead_open(struct k3_shards *shards, unsigned n,
    uint64_t bytes, struct k3_err *err);

/* After the queue of reads.  NULL is fine. */
void k3_ahead_close(struct k3_ahead *a);

int k3_ahead_touch(struct k3_ahead *a, struct k3_err *err);

/*
 * Start to read an expert; false if no place is free, or it cannot be read,
 * which is said by those who demand it.  *bytes grows.
 */
bool k3_ahead_start(struct k3_ahead *a, unsigned layer, unsigned expert,
    uint64_t *bytes);

/* The guess that was right, now held; NULL if there was none. */
struct k3_ahead_guess *k3_ahead_take(struct k3_ahead *a, unsigned layer,
    unsigned expert);

/* Guesses for that layer which were not taken are wrong: how many. */
unsigned k3_ahead_drop(struct k3_ahead *a, unsigned layer);

#endif
