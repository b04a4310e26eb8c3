/*
 * bpe.c - byte-pair encoding of one piece of text
 */
#include <stdlib.h>
#include <string.h>

#include "common/bpe.h"

/*
 * Up to here looking at all pairs for each merge beats the heap: on Han text,
 * whose pieces have 6 to 100 bytes, by a factor of 2.
 */
#define SHORT 128

static int
reserve(struct k3_bpe *b, size_t len, struct k3_err *err)
{
	size_t cap = len < 1024 ? 1024 : len + len / 2;

	if (len <= b->cap)
		return 0;
	k3_bpe_fini(b);
	if (cap <= UINT32_MAX / 4) {
		b->id = malloc(cap * sizeof(*b->id));
		b->rank = malloc(cap * sizeof(*b->rank));
		b->off = malloc((cap + 1) * sizeof(*b->off));
		b->prev = malloc((cap + 1) * sizeof(*b->prev));
		/* At first a pair less than bytes; a merge takes one of them
		 * and adds two. */
		b->heap = malloc(2 * cap * sizeof(*b->heap));
	}
	if (b->id != NULL && b->rank != NULL && b->off != NULL &&
	    b->prev != NULL && b->heap != NULL) {
		b->cap = cap;
		return 0;
	}
	k3_bpe_fini(b);
	k3_fail(err, EX_OSERR,
	    "cannot allocate memory for a piece of %zu bytes", len);
	return -1;
}

/* The parts are packed: each merge closes the gap. */
static size_t
encode_short(struct k3_bpe *b, const struct k3_vocab *v, const char *piece,
    size_t len)
{
	uint32_t *id = b->id, *rank = b->rank, *off = b->off;
	size_t n = len;

	for (size_t i = 0; i < len; i++) {
		off[i] = (uint32_t)i;
		id[i] = v->byte[(unsigned char)piece[i]];
		rank[i] =
		    i + 1 < len ? k3_vocab_find(v, piece + i, 2) : K3_NO_RANK;
	}
	off[n] = (uint32_t)len;
	for (;;) {
		size_t best = 0, move;

		for (size_t i = 1; i < n; i++)
			if (rank[i] < rank[best])
				best = i;
		if (rank[best] == K3_NO_RANK)
			return n;
		id[best] = rank[best];
		move = n - best - 2;
		memmove(id + best + 1, id + best + 2, move * sizeof(*id));
		memmove(rank + best + 1, rank + best + 2, move * sizeof(*rank));
		memmove(off + best + 1, off + best + 2,
		    (move + 1) * sizeof(*off));
		n--;
		rank[best] = best + 1 < n ? k3_vocab_find(v, piece + off[best],
						off[best + 2] - off[best])
					  : K3_NO_RANK;
		if (best > 0)
			rank[best - 1] = k3_vocab_find(v, piece + off[best - 1],
			    off[best + 1] - off[best - 1]);
	}
}

static void
sift_down(uint64_t *heap, size_t n, size_t i)
{
	uint64_t key = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			break;
		if (child + 1 < n && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= key)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = key;
}

static void
push(uint64_t *heap, size_t *n, uint64_t key)
{
	size_t i = (*n)++;

	for (; i > 0 && heap[(i - 1) / 2] > key; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = key;
}

/* The pair that begins at byte 'i', if there is one: into the heap with it. */
static void
rate(struct k3_bpe *b, const struct k3_vocab *v, const char *piece, size_t len,
    uint32_t i, size_t *nheap)
{
	uint32_t mid = b->off[i];

	b->rank[i] = mid < len ? k3_vocab_find(v, piece + i, b->off[mid] - i)
			       : K3_NO_RANK;
	if (b->rank[i] != K3_NO_RANK)
		push(b->heap, nheap, (uint64_t)b->rank[i] << 32 | i);
}

/*
 * A part stands at its first byte, and knows its neighbours: off[] holds the
 * next one.  A pair that has changed since it went into the heap has another
 * rank by now, or none: a part only grows, and other bytes are another token.
 */
static size_t
encode_long(struct k3_bpe *b, const struct k3_vocab *v, const char *piece,
    size_t len)
{
	size_t nheap = 0, n = 0;

	for (uint32_t i = 0; i < len; i++) {
		b->off[i] = i + 1;
		b->prev[i] = i - 1; /* the first one's is not used */
		b->id[i] = v->byte[(unsigned char)piece[i]];
		b->rank[i] =
		    i + 1 < len ? k3_vocab_find(v, piece + i, 2) : K3_NO_RANK;
		if (b->rank[i] != K3_NO_RANK)
			b->heap[nheap++] = (uint64_t)b->rank[i] << 32 | i;
	}
	for (size_t i = nheap / 2; i-- > 0;)
		sift_down(b->heap, nheap, i);
	while (nheap > 0) {
		uint32_t rank = (uint32_t)(b->heap[0] >> 32);
		uint32_t i = (uint32_t)b->heap[0], gone;

		b->heap[0] = b->heap[--nheap];
		if (nheap > 0)
			sift_down(b->heap, nheap, 0);
		if (b->rank[i] != rank)
			continue;
		gone = b->off[i];
		b->id[i] = rank;
		b->rank[gone] = K3_NO_RANK;
		b->off[i] = b->off[gone];
		if (b->off[i] < len)
			b->prev[b->off[i]] = i;
		rate(b, v, piece, len, i, &nheap);
		if (i > 0)
			rate(b, v, piece, len, b->prev[i], &nheap);
	}
	for (uint32_t i = 0; i < len; i = b->off[i])
		b->id[n++] = b->id[i];
	return n;
}

int
k3_bpe_encode(struct k3_bpe *bpe, const struct k3_vocab *vocab,
    const char *piece, size_t len, const uint32_t **id, size_t *n,
    struct k3_err *err)
{
	uint32_t whole;

	if (reserve(bpe, len, err) != 0)
		return -1;
	*id = bpe->id;
	whole = k3_vocab_find(vocab, piece, len);
	if (whole != K3_NO_RANK) {
		bpe->id[0] = whole;
		*n = 1;
	} else if (len <= SHORT) {
		*n = encode_short(bpe, vocab, piece, len);
	} else {
		*n = encode_long(bpe, vocab, piece, len);
	}
	return 0;
}

void
k3_bpe_fini(struct k3_bpe *bpe)
{
	free(bpe->id);
	free(bpe->rank);
	free(bpe->off);
	free(bpe->prev);
	free(bpe->heap);
	memset(bpe, 0, sizeof(*bpe));
}
