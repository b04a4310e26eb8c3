/*
 * pack.h - the packed trunk: one layer file for each layer, one for the head
 *
 * A layer's dense tensors stand in its file in order of use, at the offsets of
 * k3_layout(), so that one direct read of the payload puts them into place.
 */
#ifndef K3_COMMON_PACK_H
#define K3_COMMON_PACK_H

#include "common/layer.h"
#include "common/st.h"

/*
 * What a model is, for files made from it: the XXH3-128 that k3-layer(5) calls
 * its fingerprint.  Reads its F32 and one-dimensional tensors.
 */
int k3_fingerprint(const struct k3_cfg *cfg, struct k3_st *st,
    uint8_t out[K3_DIGEST128], struct k3_err *err);

/* "007.k3l", or "head.k3l" for layer cfg->nlayer. */
#define K3_PACK_NAME 16
void k3_pack_name(const struct k3_cfg *cfg, unsigned layer,
    char name[K3_PACK_NAME]);

/*
 * Open DIR/name, and refuse a file that is not this layer of the model with
 * this fingerprint, with all its tensors.  'dtype' gets what is stored, for
 * k3_layout().  Payloads are not read: for that, k3_layer_check().
 */
struct k3_layer *k3_pack_open(const char *dir, const struct k3_cfg *cfg,
    unsigned layer, const uint8_t fingerprint[K3_DIGEST128],
    uint8_t dtype[K3_NTENSOR], struct k3_err *err);

/*
 * The same, when the file may be missing or not be right.  'l' gets the file if
 * it is ready, else NULL; 'err' says why a damaged or foreign one is not.
 */
enum k3_pack_state {
	K3_PACK_READY,
	K3_PACK_MISSING,
	K3_PACK_DAMAGED, /* no layer file, or with other tensors */
	K3_PACK_FOREIGN, /* a layer file of another model */
	K3_PACK_FAILED,  /* could not be looked at */
};

enum k3_pack_state k3_pack_look(const char *dir, const struct k3_cfg *cfg,
    unsigned layer, const uint8_t fingerprint[K3_DIGEST128],
    struct k3_layer **l, struct k3_err *err);

/*
 * What packing a layer writes: head and table, 'tensor' being what the table
 * points to.  k3_layer_size() tells the size.
 */
void k3_pack_table(const struct k3_cfg *cfg, const struct k3_st *st,
    unsigned layer, const uint8_t fingerprint[K3_DIGEST128], struct k3_layer *l,
    struct k3_layer_tensor tensor[K3_NTENSOR]);

/*
 * Copy a layer's tensors from the checkpoint into a layer file on 'fp', in
 * bounded memory.  'moved' is called for each piece; if it returns false, the
 * work stops there and fails.
 */
int k3_pack_write(const struct k3_cfg *cfg, struct k3_st *st, unsigned layer,
    const uint8_t fingerprint[K3_DIGEST128], FILE *fp, const char *name,
    k3_layer_moved_fn *moved, void *arg, struct k3_err *err);

#endif
