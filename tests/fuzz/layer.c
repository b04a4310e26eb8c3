/*
 * layer.c - any bytes as a layer file, by address and in one pass
 *
 * What one of the two ways accepts the other must accept, with the same
 * tensors; and written again it is the same bytes.  Each input is tried as it
 * is, and with all that follows from the rest put right: the layout, and
 * digests, beyond which no mutation would get.
 */
#include "tests/layer-forge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More than this is not written again. */
#define MOST ((uint64_t)1 << 20)

/* A row at a time. */
static void
put_rows(struct k3_layer_writer *w, const struct k3_layer *l, uint8_t **bytes)
{
	const void **row = calloc(l->ntensor + (size_t)1, sizeof(*row));
	struct k3_err err;

	for (uint64_t r = 0; row != NULL && r < l->rows; r++) {
		size_t k = 0;

		for (uint32_t i = 0; i < l->ntensor; i++)
			if (l->tensor[i].grows)
				row[k++] =
				    bytes[i] + r * k3_form_row(&l->tensor[i]);
		if (k3_layer_put_rows(w, row, 1, &err) != 0)
			abort();
	}
	free(row);
}

/* What was accepted is what the writer makes of it. */
static void
write_again(const struct k3_layer *l, uint8_t **bytes, const uint8_t *data,
    size_t size)
{
	struct k3_layer_writer *w;
	struct k3_err err;
	char *text = NULL;
	size_t len = 0;
	FILE *fp;

	if (k3_form_block(l, l->block_rows) > MOST)
		return;
	fp = open_memstream(&text, &len);
	if (fp == NULL || (w = k3_layer_begin(l, fp, "again", &err)) == NULL)
		abort();
	for (uint32_t i = 0; i < l->ntensor; i++)
		if (!l->tensor[i].grows &&
		    k3_layer_put(w, bytes[i], l->tensor[i].len, &err) != 0)
			abort();
	put_rows(w, l, bytes);
	if (k3_layer_end(w, &err) != 0)
		abort();
	k3_layer_writer_close(w);
	fclose(fp);
	if (len != size || memcmp(text, data, len) != 0)
		abort();
	free(text);
}

/* 0 if all of it is right, and then a digest of what it delivered. */
static int
by_address(const uint8_t *data, size_t size, uint64_t *sum)
{
	int fd, bad = -1;
	struct k3_layer *l = forge_open(data, size, &fd);
	uint8_t **bytes = NULL;
	struct k3_err err;

	if (l != NULL) {
		bytes = calloc(l->ntensor + (size_t)1, sizeof(uint8_t *));
		bad = k3_layer_check(l, NULL, NULL, &err);
	}
	for (uint32_t i = 0; bytes != NULL && i < l->ntensor; i++) {
		const struct k3_layer_tensor *t = &l->tensor[i];

		if ((bytes[i] = forge_whole(l, t)) == NULL)
			abort();
		for (uint64_t k = 0; k < t->len; k++)
			*sum += bytes[i][k] * (k + i + 1);
	}
	if (bad == 0)
		write_again(l, bytes, data, size);
	for (uint32_t i = 0; bytes != NULL && i < l->ntensor; i++)
		free(bytes[i]);
	free(bytes);
	k3_layer_close(l);
	close(fd);
	return bad;
}

static int
in_one_pass(const uint8_t *data, size_t size, uint64_t *sum)
{
	FILE *fp = fmemopen((void *)(uintptr_t)data, size, "r");
	struct k3_layer_piece piece;
	struct k3_layer_stream *s;
	struct k3_err err;
	int got = -1;

	if (fp == NULL)
		abort();
	s = k3_layer_stream_open(fp, "fuzz", &err);
	while (s != NULL && (got = k3_layer_next(s, &piece, &err)) == 1) {
		const uint8_t *p = piece.data;
		uint64_t i =
		    (uint64_t)(piece.tensor - k3_layer_stream_head(s)->tensor);

		for (size_t k = 0; k < piece.len; k++)
			*sum += p[k] * (piece.off + k + i + 1);
	}
	k3_layer_stream_close(s);
	fclose(fp);
	return got;
}

static void
both(const uint8_t *data, size_t size)
{
	uint64_t a = 0, b = 0;
	int got = by_address(data, size, &a);

	if (got != in_one_pass(data, size, &b) || (got == 0 && a != b))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size == 0)
		return 0;
	both(data, size);
	copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	forge(copy, size);
	both(copy, size);
	free(copy);
	return 0;
}
