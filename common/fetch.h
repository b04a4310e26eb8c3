/*
 * fetch.h - one routed expert on its way from the disk into a place
 */
#ifndef K3_COMMON_FETCH_H
#define K3_COMMON_FETCH_H

#include "common/shards.h"

/* The ranges that expert 'e' of 'layer' is read in: how many. */
unsigned k3_fetch_reads(const struct k3_st *st, unsigned layer, unsigned e,
    struct k3_loc loc[K3_NPART]);

/*
 * Where an expert's parts are once it is in a place.  Parts that adjoin in a
 * file are one read.
 */
struct k3_fetch_layout {
	unsigned n; /* reads */
	struct {
		unsigned file;
		uint64_t off, len;
		uint8_t *dst;
	} read[K3_NPART];
	uint8_t *part[K3_NPART];
};

/* Of expert 'e' of 'layer', in the place at 'at'; bytes of such a place. */
void k3_fetch_layout(const struct k3_st *st, unsigned layer, unsigned e,
    uint8_t *at, struct k3_fetch_layout *l);
uint64_t k3_fetch_room(const struct k3_st *st, unsigned layer, unsigned e);

/* Its reads. */
struct k3_fetch {
	struct k3_io_read read[K3_NPART];
	unsigned n;
	char name[64];
};

/*
 * Queue all of them, or none: -1 if a file cannot be opened, for which the
 * first use of each waits.  Returns 0, and adds the bytes to *bytes.
 */
int k3_fetch_start(struct k3_fetch *f, struct k3_shards *shards, unsigned layer,
    unsigned e, const struct k3_fetch_layout *l, bool urgent, uint64_t *bytes,
    struct k3_err *err);

/* Have all ended?  Wait for all: 0, or -1 as k3_io_wait() says. */
bool k3_fetch_done(struct k3_io *io, const struct k3_fetch *f);
int k3_fetch_wait(struct k3_io *io, struct k3_fetch *f, struct k3_err *err);

/*
 * Wait for all of one that nobody wants any more, however they end.  -1 if the
 * kernel has not given its place back.
 */
int k3_fetch_drop(struct k3_io *io, struct k3_fetch *f, struct k3_err *err);

#endif
