/*
 * linear.h - stored matrices and vectors of the layer in work
 */
#ifndef K3_COMMON_LINEAR_H
#define K3_COMMON_LINEAR_H

#include "common/pass.h"

/*
 * y[i] = W x[i] for 'tokens' rows x[i], W a stored [rows][n] matrix; to run
 * together with others.
 */
struct k3_product {
	k3_mul_fn *mul;
	struct k3_mul m;
	char name[K3_NAME_MAX]; /* of the matrix, for the message */
	/* Another with as many rows, computed range by range with this one. */
	const struct k3_product *with;
	/* Called with each range of rows that is done, at once for several. */
	void (*then)(const struct k3_product *p, size_t begin, size_t end);
	const void *arg; /* for 'then' */
};

/* Products that may run together, those that others are 'with' not counted. */
#define K3_PRODUCTS 16

/*
 * Fill in a product with a tensor of the layer, in full: x is [tokens][n], y
 * [tokens][rows].  The tensor must be there.
 */
int k3_product(struct k3_pass *pass, enum k3_tensor t, const float *x, float *y,
    size_t tokens, struct k3_product *p, struct k3_err *err);

/* And with a routed expert's matrix; 'part' names it, of expert 'number'. */
void k3_product_mx(const struct k3_pass *pass, struct k3_mx w, unsigned number,
    enum k3_part part, const float *x, float *y, size_t tokens,
    struct k3_product *p);

/*
 * Run 'n' products side by side: threads share the rows of all.  A result that
 * is not finite is EX_DATAERR and names the tensor.
 */
int k3_products(const struct k3_pass *pass, const struct k3_product *list,
    size_t n, struct k3_err *err);

/* One product with a tensor of the layer. */
int k3_linear(struct k3_pass *pass, enum k3_tensor t, const float *x, float *y,
    size_t tokens, struct k3_err *err);

/* The same with weights at hand; 'name' is for the message. */
int k3_linear_weight(const struct k3_pass *pass, struct k3_weight w,
    const char *name, const float *x, size_t ldx, float *y, size_t ldy,
    size_t tokens, struct k3_err *err);

/*
 * A tensor of the layer, whole, as float32, in scratch; NULL on failure.  A
 * number in it that is not finite is one: a sigmoid, or a choice among experts,
 * would hide it from the products.
 */
const float *k3_vector(struct k3_pass *pass, enum k3_tensor t,
    struct k3_err *err);

/* The same of one at hand; 'name' is for the message. */
const float *k3_vector_weight(struct k3_pass *pass, struct k3_weight w,
    const char *name, struct k3_err *err);

#endif
