/*
 * trunkimpl.h - what the parts of the weights provider share
 *
 * trunk.c keeps matrices coming, trunk-files.c knows where they stand in files,
 * trunk-small.c holds all else.
 */
#ifndef K3_COMMON_TRUNKIMPL_H
#define K3_COMMON_TRUNKIMPL_H

#include "common/io.h"
#include "common/pack.h"
#include "common/ring.h"
#include "common/shards.h"
#include "common/trunk.h"

/* A matrix, or some rows of lm_head: read as one. */
struct k3_trunk_piece {
	uint16_t layer;
	uint8_t t; /* enum k3_tensor */
	bool
	    pinned; /* stays once it is read; else it passes through the ring */
	bool coming;  /* its read has been started, */
	bool here;    /* and waited for */
	bool used;    /* since the last k3_trunk_done() */
	bool spent;   /* its room can go back */
	bool checked; /* against its digest, if it has one */
	uint64_t row, rows;
	uint64_t room;  /* bytes of its place */
	uint8_t *place; /* of the pinned */
	struct k3_io_read read;
	char name[K3_NAME_MAX];
};

struct k3_trunk {
	struct k3_shards *shards;
	const struct k3_plan *plan;
	const struct k3_cfg *cfg;

	/* trunk-files.c: a packed trunk's layers, or NULL: from the shards. */
	struct k3_layer **packed;
	struct k3_io_file **file;

	/* trunk-small.c: vectors, [nlayer + 1][K3_NTENSOR] offsets of them. */
	uint8_t *small;
	uint64_t small_bytes;
	uint64_t *small_off;

	/*
	 * trunk.c: matrices in order of use; the last ones, from head on, are
	 * lm_head's, if it is planned for.
	 */
	struct k3_trunk_piece *piece;
	uint32_t npiece, head;
	uint32_t *first; /* [nlayer + 1][K3_NTENSOR]: its first piece */
	uint8_t *pins, *ring_mem;
	struct k3_ring ring;
	uint32_t ahead; /* the next piece to read */
	bool logits;    /* this pass wants lm_head */
	bool beyond;    /* 'ahead' has come to the next pass */
	bool failed;    /* something in this pass */
	unsigned layer; /* in work */
	struct k3_trunk_stats stats;
};

/*
 * Open and check the files of a packed trunk: of this model, storing what the
 * shards store, so that the plan's sizes hold for both.
 */
int k3_trunk_open_files(struct k3_trunk *trunk, const char *packed,
    struct k3_err *err);
void k3_trunk_close_files(struct k3_trunk *trunk);

/* Fill in a piece's read: file, offset, length. */
int k3_trunk_locate(struct k3_trunk *trunk, struct k3_trunk_piece *p,
    struct k3_err *err);

/*
 * Does a matrix that is there have its digest, in the packed file or beside the
 * shards?  If later ones have come too, because one thread is slower than the
 * disk, the threads share them.  Sets p->checked where it need not be asked
 * again.
 */
int k3_trunk_check(const struct k3_trunk *trunk, struct k3_trunk_piece *p,
    struct k3_err *err);

/* Read all small tensors, the head's too. */
int k3_trunk_load_small(struct k3_trunk *trunk, struct k3_err *err);
void k3_trunk_free_small(struct k3_trunk *trunk);

/* Where one of them is. */
const uint8_t *k3_trunk_small(const struct k3_trunk *trunk, unsigned layer,
    enum k3_tensor t);

#endif
