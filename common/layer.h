/*
 * layer.h - layer files: the one container for tensors
 *
 * The format is k3-layer(5).  A file has a head (what it is, a table of its
 * tensors), a payload of tensors whose size is known when the head is written,
 * in one piece that can be read into its final place, then blocks of tensors
 * that grow by rows, all by the same rows, and a trailer of digests.
 *
 * Nothing in a file is trusted: what a struct k3_layer says has been checked
 * against the format and, unless it comes from a pipe, the file's size.
 */
#ifndef K3_COMMON_LAYER_H
#define K3_COMMON_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/digest.h"
#include "common/err.h"
#include "common/tensors.h"

enum k3_layer_kind {
	K3_LAYER_TRUNK = 1,
	K3_LAYER_HEAD,
	K3_LAYER_HIDDEN,
	K3_LAYER_SESSION,
	K3_LAYER_NKIND
};

enum k3_layer_encoding {
	K3_LAYER_PLAIN,
};

#define K3_LAYER_NAME   96 /* with at least one NUL */
#define K3_LAYER_NDIM   4
#define K3_LAYER_TENSOR 65535 /* at most, in one file */

struct k3_layer_tensor {
	char name[K3_LAYER_NAME];
	enum k3_dtype dtype;
	uint32_t encoding; /* enum k3_layer_encoding */
	bool grows;        /* by rows: dim[0] is their number */
	unsigned ndim;     /* from 1 */
	uint64_t dim[K3_LAYER_NDIM];
	uint64_t off;    /* in the payload; 0 if it grows */
	uint64_t len;    /* bytes of all its elements */
	uint64_t stored; /* bytes in the file: len, as long as all is plain */
	uint64_t digest; /* XXH3-64 of the bytes stored */
};

struct k3_layer {
	char *path; /* for messages */
	int fd;     /* -1: a stream */
	enum k3_layer_kind kind;
	uint32_t layer; /* the head has the number of layers */
	uint8_t fingerprint[K3_DIGEST128];
	uint32_t ntensor;
	struct k3_layer_tensor *tensor;
	uint64_t off, len;   /* of the payload: multiples of K3_PAGE */
	uint32_t block_rows; /* rows of a full block; 0: nothing grows */
	uint64_t rows;       /* of each tensor that grows */
	uint64_t head_digest;
};

/*
 * Reading a file.  open reads head and trailer, and refuses a file of another
 * size than they say; it does not read the payload.  For a direct read of all
 * tensors that do not grow, take len bytes at off: tensor t stands
 * tensor[t].off bytes into them.  An open file is not changed by reading:
 * threads may share it.  NULL or -1 on failure, with 'err' filled in.
 */
struct k3_layer *k3_layer_open(const char *path, struct k3_err *err);
void k3_layer_close(struct k3_layer *l);

/* The tensor of that name, or NULL. */
const struct k3_layer_tensor *k3_layer_find(const struct k3_layer *l,
    const char *name);

/* Read 'len' bytes from byte 'off' of a tensor, be it in payload or blocks. */
int k3_layer_read(const struct k3_layer *l, const struct k3_layer_tensor *t,
    uint64_t off, void *buf, size_t len, struct k3_err *err);

/* Has 'data', the t->stored bytes of a tensor, the digest of the trailer? */
int k3_layer_check_tensor(const struct k3_layer *l,
    const struct k3_layer_tensor *t, const void *data, struct k3_err *err);

/*
 * Read all of a file, and check every digest and that padding is zero.
 * 'moved', if not NULL, is called for each piece; if it returns false, the
 * work stops there and fails.
 */
typedef bool k3_layer_moved_fn(void *arg, size_t bytes);

int k3_layer_check(const struct k3_layer *l, k3_layer_moved_fn *moved,
    void *arg, struct k3_err *err);

/*
 * Reading a stream, in one pass and bounded memory.  'fp' stays the caller's;
 * 'name' is for messages.  Tensors come in the order of the table, those that
 * grow after the others, block by block.  The digests of the tensors, and rows,
 * are known when k3_layer_next() has returned 0; what was delivered before is
 * not to be relied on until then.
 */
struct k3_layer_stream; /* opaque */

struct k3_layer_piece {
	const struct k3_layer_tensor *tensor;
	uint64_t off;     /* of the piece, in the tensor */
	const void *data; /* valid until the next call */
	size_t len;
};

struct k3_layer_stream *k3_layer_stream_open(FILE *fp, const char *name,
    struct k3_err *err);
void k3_layer_stream_close(struct k3_layer_stream *s);
const struct k3_layer *k3_layer_stream_head(const struct k3_layer_stream *s);

/* 1 and a piece; or 0, everything was read and is right; or -1. */
int k3_layer_next(struct k3_layer_stream *s, struct k3_layer_piece *piece,
    struct k3_err *err);

/*
 * Writing, to a pipe or to the fp of a struct k3_file (file.h).  Of 'l', kind,
 * layer, fingerprint, ntensor, block_rows and of each tensor name, dtype,
 * grows, ndim and dim are read, the rest worked out; dim[0] of a tensor that
 * grows is ignored.  'l' and 'fp' stay the caller's.  Bad names or sizes that
 * overflow are refused as EX_DATAERR.
 */
struct k3_layer_writer; /* opaque */

struct k3_layer_writer *k3_layer_begin(const struct k3_layer *l, FILE *fp,
    const char *name, struct k3_err *err);

/* The next bytes of the payload's tensors, in order, cut as you like. */
int k3_layer_put(struct k3_layer_writer *w, const void *data, size_t len,
    struct k3_err *err);

/*
 * When the payload is complete, 'n' more rows of all tensors that grow; rows[i]
 * are those of the i-th of them.  The file does not depend on how many come at
 * a time.
 */
int k3_layer_put_rows(struct k3_layer_writer *w, const void *const *rows,
    size_t n, struct k3_err *err);

/* Write what is left and the trailer.  It must be complete.  Frees nothing. */
int k3_layer_end(struct k3_layer_writer *w, struct k3_err *err);
void k3_layer_writer_close(struct k3_layer_writer *w);

/*
 * To know sizes before writing: arrange works out of 'l' the rest, as begin
 * does for itself; size is that of a file with so many rows, or 0 if it
 * overflows.
 */
int k3_layer_arrange(struct k3_layer *l, struct k3_err *err);
uint64_t k3_layer_size(const struct k3_layer *l, uint64_t rows);

/* What each file of a kind begins with. */
#define K3_LAYER_MAGIC 16
void k3_layer_magic(enum k3_layer_kind kind, uint8_t head[K3_LAYER_MAGIC]);

/* "trunk", "head", ... */
const char *k3_layer_kind_name(enum k3_layer_kind kind);

#endif
