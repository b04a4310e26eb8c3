/*
 * layer-write.c - layer files, written in one pass
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/layer-form.h"
#include "common/le.h"

struct k3_layer_writer {
	struct k3_layer l; /* tensor is our copy */
	FILE *fp;
	uint64_t pos;             /* bytes written */
	uint32_t now;             /* tensor of the payload in work */
	uint64_t done;            /* bytes of it */
	struct k3_digest *fixed;  /* of it */
	struct k3_digest **grown; /* [ntensor], of those that grow */
	uint8_t **block;          /* [ntensor], [block_rows][row], the same */
	uint64_t rows;            /* in them */
};

static int
put(struct k3_layer_writer *w, const void *data, size_t len, struct k3_err *err)
{
	if (len > 0 && fwrite(data, 1, len, w->fp) != len)
		return k3_fail_errno(err, EX_IOERR, "cannot write '%s'",
		    w->l.path);
	w->pos += len;
	return 0;
}

/* Zeros up to a multiple of 'align'. */
static int
pad(struct k3_layer_writer *w, uint64_t align, struct k3_err *err)
{
	static const uint8_t zero[K3_PAGE];

	return put(w, zero, k3_form_pad(w->pos, align), err);
}

static int
allocate(struct k3_layer_writer *w, const struct k3_layer *l, const char *name,
    struct k3_err *err)
{
	size_t n = l->ntensor + (size_t)1;

	w->l.path = strdup(name);
	w->l.tensor = calloc(n, sizeof(*l->tensor));
	w->grown = calloc(n, sizeof(struct k3_digest *));
	w->block = calloc(n, sizeof(uint8_t *));
	if (w->l.path == NULL || w->l.tensor == NULL || w->grown == NULL ||
	    w->block == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate a layer file of %" PRIu32 " tensors",
		    l->ntensor);
	memcpy(w->l.tensor, l->tensor, l->ntensor * sizeof(*l->tensor));
	w->fixed = k3_digest_open(K3_DIGEST_64, err);
	return w->fixed == NULL ? -1 : 0;
}

static int
allocate_blocks(struct k3_layer_writer *w, struct k3_err *err)
{
	for (uint32_t i = 0; i < w->l.ntensor; i++) {
		struct k3_layer_tensor *t = &w->l.tensor[i];
		uint64_t size = k3_form_row(t) * w->l.block_rows;

		if (!t->grows)
			continue;
		w->grown[i] = k3_digest_open(K3_DIGEST_64, err);
		if (w->grown[i] == NULL)
			return -1;
		w->block[i] = malloc(size);
		if (w->block[i] == NULL)
			return k3_fail(err, EX_OSERR,
			    "cannot allocate %" PRIu64 " bytes", size);
	}
	return 0;
}

static int
put_head(struct k3_layer_writer *w, struct k3_err *err)
{
	uint8_t *head = malloc(w->l.off);
	int bad;

	if (head == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate %" PRIu64 " bytes", w->l.off);
	k3_form_put_head(&w->l, head);
	w->l.head_digest = k3_digest64(head, w->l.off);
	bad = put(w, head, w->l.off, err);
	free(head);
	return bad;
}

/* A tensor of the payload is complete; step to the next one that has bytes. */
static int
step(struct k3_layer_writer *w, struct k3_err *err)
{
	struct k3_layer *l = &w->l;

	for (; w->now < l->ntensor; w->now++) {
		struct k3_layer_tensor *t = &l->tensor[w->now];

		if (t->grows)
			continue;
		if (w->done < t->stored)
			return 0;
		t->digest = k3_digest_get64(w->fixed);
		k3_digest_reset(w->fixed);
		w->done = 0;
		if (pad(w, K3_ALIGN, err) != 0)
			return -1;
	}
	return pad(w, K3_PAGE, err);
}

struct k3_layer_writer *
k3_layer_begin(const struct k3_layer *l, FILE *fp, const char *name,
    struct k3_err *err)
{
	struct k3_layer_writer *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		k3_fail(err, EX_OSERR, "cannot allocate a layer file");
		return NULL;
	}
	assert(l->ntensor <= K3_LAYER_TENSOR && l->layer <= K3_MAX_LAYERS);
	w->fp = fp;
	w->l.kind = l->kind;
	w->l.layer = l->layer;
	memcpy(w->l.fingerprint, l->fingerprint, K3_DIGEST128);
	w->l.ntensor = l->ntensor;
	w->l.block_rows = l->block_rows;
	if (allocate(w, l, name, err) == 0 &&
	    k3_layer_arrange(&w->l, err) == 0 && allocate_blocks(w, err) == 0 &&
	    put_head(w, err) == 0 && step(w, err) == 0)
		return w;
	k3_layer_writer_close(w);
	return NULL;
}

int
k3_layer_put(struct k3_layer_writer *w, const void *data, size_t len,
    struct k3_err *err)
{
	const uint8_t *p = data;

	while (len > 0) {
		uint64_t n;

		assert(w->now < w->l.ntensor);
		n = w->l.tensor[w->now].stored - w->done;
		if (n > len)
			n = len;
		if (put(w, p, n, err) != 0)
			return -1;
		k3_digest_add(w->fixed, p, n);
		w->done += n;
		p += n;
		len -= n;
		if (w->done == w->l.tensor[w->now].stored && step(w, err) != 0)
			return -1;
	}
	return 0;
}

/* Write the rows that were gathered, as a block. */
static int
put_block(struct k3_layer_writer *w, struct k3_err *err)
{
	uint8_t head[K3_FORM_BLOCK] = { 0 };

	k3_le_put64(head, w->rows);
	if (put(w, head, sizeof(head), err) != 0)
		return -1;
	for (uint32_t i = 0; i < w->l.ntensor; i++) {
		uint64_t len;

		if (w->block[i] == NULL)
			continue;
		len = w->rows * k3_form_row(&w->l.tensor[i]);
		k3_digest_add(w->grown[i], w->block[i], len);
		if (put(w, w->block[i], len, err) != 0 ||
		    pad(w, K3_ALIGN, err) != 0)
			return -1;
	}
	w->l.rows += w->rows;
	w->rows = 0;
	return 0;
}

int
k3_layer_put_rows(struct k3_layer_writer *w, const void *const *rows, size_t n,
    struct k3_err *err)
{
	assert(w->now == w->l.ntensor && w->l.block_rows > 0);
	for (size_t from = 0; from < n;) {
		size_t take = w->l.block_rows - w->rows, k = 0;

		if (take > n - from)
			take = n - from;
		for (uint32_t i = 0; i < w->l.ntensor; i++) {
			uint64_t row = k3_form_row(&w->l.tensor[i]);

			if (w->block[i] == NULL)
				continue;
			memcpy(w->block[i] + w->rows * row,
			    (const uint8_t *)rows[k++] + from * row,
			    take * row);
		}
		w->rows += take;
		from += take;
		if (w->rows == w->l.block_rows && put_block(w, err) != 0)
			return -1;
	}
	return 0;
}

int
k3_layer_end(struct k3_layer_writer *w, struct k3_err *err)
{
	size_t len = k3_form_trail_len(&w->l);
	uint8_t *trail;
	int bad;

	assert(w->now == w->l.ntensor);
	if (w->rows > 0 && put_block(w, err) != 0)
		return -1;
	/* A block of no rows ends them. */
	if (w->l.block_rows > 0 && put_block(w, err) != 0)
		return -1;
	for (uint32_t i = 0; i < w->l.ntensor; i++)
		if (w->grown[i] != NULL)
			w->l.tensor[i].digest = k3_digest_get64(w->grown[i]);
	trail = malloc(len);
	if (trail == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate %zu bytes", len);
	k3_form_put_trail(&w->l, trail);
	bad = put(w, trail, len, err);
	free(trail);
	if (bad == 0 && fflush(w->fp) != 0)
		return k3_fail_errno(err, EX_IOERR, "cannot write '%s'",
		    w->l.path);
	return bad;
}

void
k3_layer_writer_close(struct k3_layer_writer *w)
{
	if (w == NULL)
		return;
	if (w->grown != NULL && w->block != NULL)
		for (uint32_t i = 0; i < w->l.ntensor; i++) {
			k3_digest_close(w->grown[i]);
			free(w->block[i]);
		}
	k3_digest_close(w->fixed);
	free(w->grown);
	free(w->block);
	free(w->l.tensor);
	free(w->l.path);
	free(w);
}
