/*
 * layer-image.h - a layer file in memory, for the tests of layer files
 */
#ifndef K3_TESTS_LAYER_IMAGE_H
#define K3_TESTS_LAYER_IMAGE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "tests/tap.h"

#define E     6 /* elements of a row */
#define ROWS  4 /* of a block */
#define NROWS 11

/* Two fixed tensors, one of them empty, and two that grow. */
static struct k3_layer_tensor table[] = {
	{ .name = "ids", .dtype = K3_U32, .ndim = 1, .dim = { 5 } },
	{ .name = "p",
	    .dtype = K3_F32,
	    .grows = true,
	    .ndim = 2,
	    .dim = { 0, E } },
	{ .name = "none", .dtype = K3_U8, .ndim = 2, .dim = { 0, 9 } },
	{ .name = "x",
	    .dtype = K3_BF16,
	    .grows = true,
	    .ndim = 2,
	    .dim = { 0, E } },
	{ .name = "w", .dtype = K3_BF16, .ndim = 3, .dim = { 3, 1, 35 } },
};
static const struct k3_layer head = {
	.kind = K3_LAYER_HIDDEN,
	.layer = 7,
	.fingerprint = "0123456789abcde",
	.ntensor = 5,
	.tensor = table,
	.block_rows = ROWS,
};

static uint8_t ids[20], w[210], p[NROWS][4 * E], x[NROWS][2 * E];

static inline void
fill(void)
{
	uint32_t v = 1;

#define FILL(a)                                                                \
	for (size_t i = 0; i < sizeof(a); i++, v = v * 69069 + 1)              \
	((uint8_t *)a)[i] = (uint8_t)(v >> 24)
	FILL(ids);
	FILL(w);
	FILL(p);
	FILL(x);
}

/* A file in memory. */
struct image {
	char *data;
	size_t len;
};

static inline struct image
write_image(const struct k3_layer *l, size_t nrow, size_t at_a_time,
    size_t piece)
{
	struct image im = { NULL, 0 };
	FILE *fp = open_memstream(&im.data, &im.len);
	struct k3_err err = { 0, "" };
	struct k3_layer_writer *out = k3_layer_begin(l, fp, "image", &err);
	uint8_t all[sizeof(ids) + sizeof(w)];
	bool bad = out == NULL;

	memcpy(all, ids, sizeof(ids));
	memcpy(all + sizeof(ids), w, sizeof(w));
	for (size_t i = 0, n; i < sizeof(all) && !bad; i += n) {
		n = sizeof(all) - i < piece ? sizeof(all) - i : piece;
		bad = k3_layer_put(out, all + i, n, &err) != 0;
	}
	for (size_t i = 0, n; i < nrow && !bad; i += n) {
		const void *rows[] = { p[i], x[i] };

		n = nrow - i < at_a_time ? nrow - i : at_a_time;
		bad = k3_layer_put_rows(out, rows, n, &err) != 0;
	}
	if (bad || k3_layer_end(out, &err) != 0)
		diag("%s", err.msg);
	k3_layer_writer_close(out);
	fclose(fp);
	return im;
}

/* Drain a stream; 0 if all is right. */
static inline int
drain(const char *data, size_t len, struct k3_err *err)
{
	FILE *fp = fmemopen((void *)(uintptr_t)data, len > 0 ? len : 1, "r");
	struct k3_layer_stream *s;
	struct k3_layer_piece piece;
	int got = -1;

	if (len == 0)
		getc(fp);
	s = k3_layer_stream_open(fp, "stream", err);
	if (s != NULL)
		while ((got = k3_layer_next(s, &piece, err)) == 1)
			;
	k3_layer_stream_close(s);
	fclose(fp);
	return got;
}

/* The same of a file, by address. */
static inline int
check_file(const char *path, struct k3_err *err)
{
	struct k3_layer *l = k3_layer_open(path, err);
	int bad = l == NULL ? -1 : k3_layer_check(l, NULL, NULL, err);

	k3_layer_close(l);
	return bad;
}

/* A file that has no name, by a path. */
static inline int
memory_file(const struct image *im, char path[32])
{
	int fd = memfd_create("layer", MFD_CLOEXEC);

	if (fd == -1 || pwrite(fd, im->data, im->len, 0) != (ssize_t)im->len)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
