/*
 * layer-form.h - the bytes of a layer file, for its reader and its writer
 *
 * Not for others: they use layer.h.
 */
#ifndef K3_COMMON_LAYER_FORM_H
#define K3_COMMON_LAYER_FORM_H

#include "common/layer.h"

#define K3_FORM_VERSION 1
#define K3_FORM_HEAD    64  /* before the table */
#define K3_FORM_ENTRY   192 /* of the table */
#define K3_FORM_BLOCK   64  /* before each block, and after the last one */
#define K3_FORM_TRAIL   32  /* the trailer, but for 8 bytes a tensor */

/* No size in a file reaches this, so that sums of two do not overflow. */
#define K3_FORM_MAX (UINT64_C(1) << 62)

/* What is missing to a multiple of 'align', a power of two. */
uint64_t k3_form_pad(uint64_t len, uint64_t align);

/* Bytes of a tensor's row, if it grows. */
uint64_t k3_form_row(const struct k3_layer_tensor *t);

/* Bytes of a block of so many rows with its header, below K3_FORM_MAX. */
uint64_t k3_form_block(const struct k3_layer *l, uint64_t rows);

/* l->off bytes of head and table. */
void k3_form_put_head(const struct k3_layer *l, uint8_t *head);

/* k3_form_trail_len() bytes of trailer. */
size_t k3_form_trail_len(const struct k3_layer *l);
void k3_form_put_trail(const struct k3_layer *l, uint8_t *trail);

/*
 * The reverse.  get_start takes the first K3_FORM_HEAD bytes, sets all but the
 * tensors, and l->off to the length of the head; get_table takes all of it, and
 * allocates and checks the tensors; get_trail sets digests and rows.
 */
int k3_form_get_start(struct k3_layer *l, const uint8_t *head,
    struct k3_err *err);
int k3_form_get_table(struct k3_layer *l, const uint8_t *head,
    struct k3_err *err);
int k3_form_get_trail(struct k3_layer *l, const uint8_t *trail,
    struct k3_err *err);

/* Set dim[0], len and stored of the tensors that grow, for l->rows rows. */
void k3_form_grown(struct k3_layer *l);

#endif
