/*
 * st.h - a checkpoint's safetensors files: where each tensor stands
 *
 * Opening reads headers only.  It takes any split over files, in any order,
 * with or without model.safetensors.index.json, and refuses a checkpoint that
 * lacks a tensor which the config needs, or has it twice, in another shape or
 * dtype, or outside its file.  Tensors that the text model does not need are
 * skipped.  An open struct k3_st is not changed by reading, so that threads
 * may share it.
 */
#ifndef K3_COMMON_ST_H
#define K3_COMMON_ST_H

#include "common/cfg.h"
#include "common/err.h"
#include "common/tensors.h"

struct k3_st; /* opaque */

struct k3_loc {
	uint64_t off;  /* of the first byte, in the file */
	uint64_t len;  /* bytes */
	uint16_t file; /* number of the file, for k3_st_path() */
	uint8_t dtype; /* enum k3_dtype */
};

/* Index DIR.  NULL on failure, with 'err' filled in.  'cfg' must outlive it. */
struct k3_st *k3_st_open(const char *dir, const struct k3_cfg *cfg,
    struct k3_err *err);

/* Who is told of everything that is wrong, and of what nobody needs. */
struct k3_st_watch {
	void *arg;
	void (*wrong)(void *arg, const struct k3_err *err);
	void (*unneeded)(void *arg, const char *path, const char *tensor);
};

/*
 * The same, but what is wrong does not end it: 'watch' is told, and of bytes
 * behind the last tensor of a file too, which opening does not mind.  After
 * that only files, their sizes and the counts can be asked for; but if nothing
 * was told, everything.  NULL if no file is found, or memory is short.
 */
struct k3_st *k3_st_survey(const char *dir, const struct k3_cfg *cfg,
    const struct k3_st_watch *watch, struct k3_err *err);
void k3_st_close(struct k3_st *st);

/*
 * An index of files that are not there, laid out as the released ones are: a
 * file for each layer and one for the head, in it float32, bfloat16 and
 * experts, each by name.  It answers all questions of sizes and places; reads
 * are refused with EX_NOINPUT.  NULL for what has more experts than
 * K3_ST_PRESUME, or a layer that no file can hold.
 */
#define K3_ST_PRESUME ((uint64_t)1 << 20)
struct k3_st *k3_st_presume(const struct k3_cfg *cfg, struct k3_err *err);
bool k3_st_presumed(const struct k3_st *st);

/* Where a tensor stands; the layer must have it (k3_tensor_shape()). */
struct k3_loc k3_st_tensor(const struct k3_st *st, unsigned layer,
    enum k3_tensor t);

/* Where a part of a routed expert stands; 'layer' must be a MoE layer. */
struct k3_loc k3_st_part(const struct k3_st *st, unsigned layer,
    unsigned expert, enum k3_part part);

/* Stored dtypes of a layer's tensors (or the head's), for k3_layout(). */
void k3_st_dtypes(const struct k3_st *st, unsigned layer,
    uint8_t dtype[K3_NTENSOR]);

unsigned k3_st_nfile(const struct k3_st *st);
const char *k3_st_path(const struct k3_st *st, unsigned file);
uint64_t k3_st_size(const struct k3_st *st, unsigned file);

/* Bytes of all files; tensors in them, whether needed or not. */
uint64_t k3_st_bytes(const struct k3_st *st);
uint64_t k3_st_count(const struct k3_st *st);

/* Tensors that the config needs; those of them that were found. */
uint64_t k3_st_needed(const struct k3_st *st);
uint64_t k3_st_found(const struct k3_st *st);

/* Bytes that an open index takes in memory. */
size_t k3_st_memory(const struct k3_st *st);

/*
 * Read 'len' bytes at 'off' of a file, all of them: short reads and EINTR are
 * handled, and no single read passes 1 GiB.  'what' names the data for a
 * message ("layer 3 expert 7").  The first 128 files stay open; others are
 * opened for each read, and must be the ones that were indexed.
 */
int k3_st_read(struct k3_st *st, unsigned file, uint64_t off, void *buf,
    uint64_t len, const char *what, struct k3_err *err);

/*
 * A descriptor of a file, for reads of one's own: the caller's, to close.  -1
 * if it cannot be opened or is not the file that was indexed.
 */
int k3_st_fd(const struct k3_st *st, unsigned file, struct k3_err *err);

#endif
