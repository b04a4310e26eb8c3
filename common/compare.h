/*
 * compare.h - numbers of two runs, element by element
 *
 * The promise is equal bits, so elements are different if their bits are, with
 * one exception: a NaN equals any NaN, since its payload is the CPU's choice.
 * Thus -0 is different from +0, at an error of 0.  Errors are those of the
 * values: |a - b|; that through the larger of |a| and |b|; and how many numbers
 * of the dtype one has to step through from a to b, -0 and +0 being one.  Where
 * one is infinite, so are the first two.  A NaN and a number have no error.
 */
#ifndef K3_COMMON_COMPARE_H
#define K3_COMMON_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "common/tensors.h"

/* An element within any of these is near; a negative one lets nothing pass. */
struct k3_compare_limit {
	double abs, rel, ulp;
};

/* The largest error, and the first element that has it. */
struct k3_compare_most {
	double error;
	uint64_t at;
};

struct k3_compare {
	enum k3_dtype dtype;
	struct k3_compare_limit limit;
	uint64_t width;     /* elements of a row */
	uint64_t n;         /* elements that were compared */
	uint64_t different; /* but for those that are near */
	uint64_t near;
	uint64_t rows;     /* with an element that is different */
	uint64_t zeros;    /* -0 and +0, of these two */
	uint64_t nans;     /* a NaN and a number, of the different */
	uint64_t payloads; /* NaNs with other bits, which are equal */
	uint64_t numbers;  /* of different and near, those with errors */
	struct k3_compare_most abs, rel, ulp; /* if there are numbers */
	uint64_t first; /* the first one that is different, if one is */
	double a, b;    /* and its values */
	uint64_t last;  /* the last one */
};

/* Nothing was compared yet. */
void k3_compare_init(struct k3_compare *c, enum k3_dtype dtype, uint64_t width,
    const struct k3_compare_limit *limit);

/*
 * 'n' more elements, little-endian and of any alignment; the first has the
 * number 'at'.  Calls come in rising order.
 */
void k3_compare_add(struct k3_compare *c, const void *a, const void *b,
    size_t n, uint64_t at);

#endif
