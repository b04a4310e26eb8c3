/*
 * kernels-case.h - calls of every kernel slot, with drawn sizes and values
 *
 * A case is one call: its sizes, and its buffers with their values, each
 * against an unmapped page, before or after, or at an odd place between.  The
 * test runs one case through two kernel tables and compares what they wrote.
 */
#ifndef K3_TESTS_KERNELS_CASE_H
#define K3_TESTS_KERNELS_CASE_H

#include <stdbool.h>

#include "kernels/kernels.h"

/* In the order of struct k3_kern. */
enum {
	MUL_F32,
	MUL_BF16,
	MUL_MXFP4,
	TMUL_F32,
	TMUL_BF16,
	SILU,
	SIGMOID,
	SITU,
	GATE,
	DECAY,
	AXPY,
	CONV,
	KDA,
	SOFTMAX,
	NSLOT
};
_Static_assert(sizeof(struct k3_kern) == NSLOT * sizeof(k3_mul_fn *),
    "a slot without a test");

extern const char *const case_name[NSLOT];

#define CASE_BUFS 8

struct kcase {
	int slot, how;
	uint32_t limit;    /* of exponents */
	unsigned out;      /* mask of the buffers that are compared */
	bool alias;        /* the slot works in place */
	struct k3_mul mul; /* its sizes serve the elementwise slots too */
	struct k3_kda kda;
	struct k3_softmax softmax;
	float par[2];
	float *p[CASE_BUFS];
	struct {
		char *lo, *hi;
	} buf[CASE_BUFS];
};

/* The only source of chance: the same on every machine. */
void case_seed(uint64_t seed);
uint32_t case_rnd(void);

/*
 * Draw a case.  'n' inputs; 'rows' and 'tokens' count for products, tokens for
 * kda too, and softmax has rows positions, tokens queries and n values.
 */
void case_make(struct kcase *c, int slot, size_t n, size_t rows, size_t tokens);

/* Run a case; its outputs are overwritten. */
void case_run(const struct kcase *c, const struct k3_kern *kern);

/*
 * Draw cases of every size and run each through both tables: do they write
 * the same bits, and nothing else?  NaNs of any payload are equal.
 */
bool case_sweep(int slot, const struct k3_kern *ref,
    const struct k3_kern *kern);

/* A hash over the outputs of fixed cases. */
uint64_t case_hash(int slot, const struct k3_kern *kern);

/* Whether slot 'slot' of both tables is the same function. */
bool case_same_fn(int slot, const struct k3_kern *a, const struct k3_kern *b);

/* The slots as kernels.h and the contract put it, in the plainest C. */
extern const struct k3_kern plain;

/* Attention of one head over any number of positions: out is [nvalue]. */
void plain_attention(const float *q, const float *kv, size_t npos, size_t width,
    size_t nvalue, float scale, float *out);

/* Do denormals count, that go into slots and that come out of them? */
bool case_denormals(const struct k3_kern *kern);

/* The weight that an MXFP4 code and its scale byte stand for. */
float plain_mxfp4(unsigned code, unsigned e);

#endif
