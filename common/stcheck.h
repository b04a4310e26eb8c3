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

/* 'err' says what is wrong: 0 to go on, or -1. */
typedef int k3_stcheck_wrong_fn(void *arg);

/*
 * Each slot that is empty, one by one, but for what has been said already: it
 * would be in a file that is bad, or is there and wrong.  An expert that has
 * nothing is one.
 */
int k3_stcheck_missing(const struct k3_st *st, const char *dir,
    k3_stcheck_wrong_fn *wrong, void *arg, struct k3_err *err);

/* Do no two tensors of a file with its 'unsorted' set share a byte? */
int k3_stcheck_overlap(const struct k3_st *st, const bool *unsorted,
    k3_stcheck_wrong_fn *wrong, void *arg, struct k3_err *err);

#endif
