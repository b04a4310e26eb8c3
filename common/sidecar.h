/*
 * sidecar.h - digests of tensors, experts and rows, beside a model's files
 *
 * The format is k3-digests(5): an XXH3-64 for each needed tensor, each routed
 * expert, whose six parts go into one, in their order, and each row of the
 * embedding, which is read by rows.  Entries are numbered in the order of the
 * file: layer after layer, the tensors of one in order of use and then its
 * experts; the head comes last, and the rows stand where experts would.
 */
#ifndef K3_COMMON_SIDECAR_H
#define K3_COMMON_SIDECAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/digest.h"
#include "common/st.h"

struct k3_sidecar; /* opaque */

/* The file's name in the folder of the model. */
#define K3_SIDECAR_NAME "k3-digests"

/*
 * An entry: a tensor; or if t is K3_NTENSOR the expert of this number; or if it
 * is K3_T_EMBED the row.
 */
struct k3_sidecar_entry {
	unsigned layer, t, number;
};

/* Without digests.  'cfg' must outlive it.  NULL with EX_OSERR. */
struct k3_sidecar *k3_sidecar_open(const struct k3_cfg *cfg,
    const uint8_t fingerprint[K3_DIGEST128], struct k3_err *err);
void k3_sidecar_close(struct k3_sidecar *s);

/*
 * Read a file that has all digests, and is of this model.  0, or -1 with
 * EX_NOINPUT, EX_IOERR or EX_DATAERR; then *foreign says whether only the
 * fingerprint is another, and all else was read.
 */
int k3_sidecar_load(struct k3_sidecar *s, const char *path, bool *foreign,
    struct k3_err *err);

/*
 * The same for one that is not finished: lines in any order.  *used is how many
 * bytes have whole lines.
 */
int k3_sidecar_resume(struct k3_sidecar *s, const char *path, uint64_t *used,
    struct k3_err *err);

/* The first line, a line, and all of a file.  0 or EOF as fprintf() says. */
int k3_sidecar_put_head(const struct k3_sidecar *s, FILE *fp);
int k3_sidecar_put_line(const struct k3_sidecar *s, uint64_t i, FILE *fp);
int k3_sidecar_put(const struct k3_sidecar *s, FILE *fp);

/* Bytes in memory; entries; number 'i' of them. */
uint64_t k3_sidecar_memory(const struct k3_sidecar *s);
uint64_t k3_sidecar_count(const struct k3_sidecar *s);
struct k3_sidecar_entry k3_sidecar_at(const struct k3_sidecar *s, uint64_t i);

/* The number of an entry; the embedding has only rows. */
uint64_t k3_sidecar_tensor(const struct k3_sidecar *s, unsigned layer,
    enum k3_tensor t);
uint64_t k3_sidecar_expert(const struct k3_sidecar *s, unsigned layer,
    unsigned expert);
uint64_t k3_sidecar_row(const struct k3_sidecar *s, uint32_t id);

/* Is there a digest of it, and was it found right? */
bool k3_sidecar_has(const struct k3_sidecar *s, uint64_t i);
bool k3_sidecar_checked(const struct k3_sidecar *s, uint64_t i);
void k3_sidecar_set(struct k3_sidecar *s, uint64_t i, uint64_t digest);

/* Is the digest right?  If not, 'err' names what it is of, and its file. */
int k3_sidecar_compare(const struct k3_sidecar *s, uint64_t i, uint64_t digest,
    const struct k3_st *st, struct k3_err *err);

/*
 * The same of bytes in memory, once: what was right is not looked at again.
 * part[] are an expert's, in memory as long as k3_st_part() says.  Different
 * tensors, and experts whose parts adjoin, can be checked at the same time.
 */
int k3_sidecar_check_tensor(struct k3_sidecar *s, const struct k3_st *st,
    unsigned layer, enum k3_tensor t, const void *data, struct k3_err *err);
int k3_sidecar_check_expert(struct k3_sidecar *s, const struct k3_st *st,
    unsigned layer, unsigned expert, uint8_t *const part[K3_NPART],
    struct k3_err *err);
int k3_sidecar_check_row(struct k3_sidecar *s, const struct k3_st *st,
    uint32_t id, const void *data, struct k3_err *err);

/*
 * The same of a tensor that comes in pieces.  Only what passes in order, from
 * its first byte to its last, is checked; with the last piece the answer comes.
 * One tensor at a time.
 */
int k3_sidecar_check_piece(struct k3_sidecar *s, const struct k3_st *st,
    unsigned layer, enum k3_tensor t, uint64_t off, const void *data,
    uint64_t len, struct k3_err *err);

/* Where an entry's bytes are: ranges that adjoin are one. */
unsigned k3_sidecar_places(const struct k3_sidecar *s, const struct k3_st *st,
    uint64_t i, struct k3_loc loc[K3_NPART]);

/* Numbers of all entries in the order of their first bytes: [count]. */
int k3_sidecar_by_place(const struct k3_sidecar *s, const struct k3_st *st,
    uint32_t *order, struct k3_err *err);

#endif
