/*
 * stcheck.h - is a checkpoint what the config needs?
 */
#ifndef K3_COMMON_STCHECK_H
#define K3_COMMON_STCHECK_H

#include "common/sthead.h"
#include "common/stimpl.h"

/*
 * A header's entry for a needed tensor of file 'path', which has 'room' bytes
 * of data: dtype (to '*dtype'), shape and place.  0 or -1.
 */
int k3_stcheck_entry(const struct k3_stentry *entry,
    const struct k3_shape *shape, bool packed, uint64_t room, const char *path,
    enum k3_dtype *dtype, struct k3_err *err);

/* Is every slot filled? */
int k3_stcheck_complete(const struct k3_st *st, const char *dir,
    struct k3_err *err);

/* Do no two tensors of a file with its 'unsorted' set share a byte? */
int k3_stcheck_overlap(const struct k3_st *st, const bool *unsorted,
    struct k3_err *err);

#endif
