/*
 * attend.c - attention over the latents of a sequence, for several queries
 */
#include <math.h>
#include <string.h>

#include "common/attend.h"

/* Positions that token 't' sees of the block that begins at 'from'. */
static size_t
seen(const struct k3_attend *a, size_t from, size_t t)
{
	size_t end = a->pos + t + 1;

	return end <= from              ? 0
	       : end - from < K3_ATTEND ? end - from
					: K3_ATTEND;
}

/* Scores of all tokens from 't' on with positions 'from' to 'from' + 'n'. */
static void
scores(const struct k3_kern *kern, const struct k3_attend *a, size_t from,
    size_t n, size_t t)
{
	struct k3_mul m = { .w =
				(const uint8_t *)(a->latents + from * a->width),
		.stride = a->width * sizeof(float),
		.rows = n,
		.n = a->width,
		.x = a->query + t * a->heads * a->width,
		.tokens = (a->tokens - t) * a->heads,
		.ldx = a->width,
		.ldy = K3_ATTEND,
		.y = a->score + t * a->heads * K3_ATTEND };

	kern->mul_f32(&m);
}

/* 'tokens' tokens from 't' on, which see 'n' positions of the block. */
static void
softmax(const struct k3_kern *kern, const struct k3_attend *a, size_t n,
    size_t t, size_t tokens)
{
	size_t q = t * a->heads;
	struct k3_softmax s = { .score = a->score + q * K3_ATTEND,
		.nq = tokens * a->heads,
		.n = n,
		.ld = K3_ATTEND,
		.scale = a->scale,
		.m = a->m + q,
		.sum = a->sum + q,
		.acc = a->out + q * a->nvalue,
		.nvalue = a->nvalue,
		.ldacc = a->nvalue };

	kern->softmax(&s);
}

/* Positions 'first' to 'end' of the block, weighted, onto the results. */
static void
values(const struct k3_kern *kern, const struct k3_attend *a, size_t from,
    size_t first, size_t end, size_t t, size_t tokens)
{
	size_t q = t * a->heads;
	struct k3_mul m = { .w = (const uint8_t *)(a->latents +
						   (from + first) * a->width),
		.stride = a->width * sizeof(float),
		.rows = end - first,
		.n = a->nvalue,
		.x = a->score + q * K3_ATTEND + first,
		.tokens = tokens * a->heads,
		.ldx = K3_ATTEND,
		.ldy = a->nvalue,
		.y = a->out + q * a->nvalue };

	kern->tmul_f32(&m);
}

/*
 * At the end of the sequence each token sees one position more than the one
 * before it; what all see is still one product.
 */
static void
block(const struct k3_kern *kern, const struct k3_attend *a, size_t from)
{
	size_t first = from > a->pos ? from - a->pos : 0;
	size_t few = seen(a, from, first), most = seen(a, from, a->tokens - 1);
	size_t left = a->tokens - first;

	scores(kern, a, from, most, first);
	if (few == most) {
		softmax(kern, a, few, first, left);
		values(kern, a, from, 0, few, first, left);
		return;
	}
	for (size_t t = first; t < a->tokens; t++)
		softmax(kern, a, seen(a, from, t), t, 1);
	values(kern, a, from, 0, few, first, left);
	for (size_t t = first; t < a->tokens; t++)
		values(kern, a, from, few, seen(a, from, t), t, 1);
}

void
k3_attend(const struct k3_kern *kern, const struct k3_attend *a)
{
	size_t nq = a->tokens * a->heads;

	memset(a->out, 0, nq * a->nvalue * sizeof(float));
	for (size_t q = 0; q < nq; q++) {
		a->m[q] = -INFINITY;
		a->sum[q] = 0;
	}
	for (size_t from = 0; from < a->pos + a->tokens; from += K3_ATTEND)
		block(kern, a, from);
	for (size_t q = 0; q < nq; q++)
		for (size_t j = 0; j < a->nvalue; j++)
			a->out[q * a->nvalue + j] /= a->sum[q];
}
