/*
 * layer.c - any bytes as a layer file, by address and in one pass
 *
 * What one of the two ways accepts the other must accept, with the same
 * tensors.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "common/le.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 0 if all of it is right, and then a digest of what it delivered. */
static int
by_address(const uint8_t *data, size_t size, uint64_t *sum)
{
	int fd = memfd_create("layer", MFD_CLOEXEC), bad = -1;
	struct k3_layer *l = NULL;
	struct k3_err err;
	char path[32], buf[100];

	if (fd == -1 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	l = k3_layer_open(path, &err);
	if (l != NULL)
		bad = k3_layer_check(l, NULL, NULL, &err);
	/* Rows in the wrong place are found by the check, but must not crash.
	 */
	for (uint32_t i = 0; l != NULL && i < l->ntensor; i++) {
		const struct k3_layer_tensor *t = &l->tensor[i];

		for (uint64_t off = 0, n; off < t->len; off += n) {
			n = t->len - off < sizeof(buf) ? t->len - off
						       : sizeof(buf);
			if (k3_layer_read(l, t, off, buf, n, &err) != 0)
				abort();
			for (size_t k = 0; k < n; k++)
				*sum += (uint8_t)buf[k] * (off + k + i + 1);
		}
	}
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

static void
forge(uint8_t *data, size_t size)
{
	struct k3_layer l = { .path = NULL };
	struct k3_err err;
	uint8_t *trail;
	size_t n;

	l.path = strdup("forged");
	if (l.path == NULL || size < K3_FORM_HEAD ||
	    k3_form_get_start(&l, data, &err) != 0 ||
	    size < l.off + (n = k3_form_trail_len(&l))) {
		free(l.path);
		return;
	}
	trail = data + size - n;
	k3_le_put64(trail + 16, k3_digest64(data, l.off));
	k3_le_put64(trail + n - 8, k3_digest64(trail, n - 8));
	free(l.path);
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
