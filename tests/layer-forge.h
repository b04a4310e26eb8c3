/*
 * layer-forge.h - layer files from any bytes, for targets of the fuzzer
 *
 * Layout and digests follow from the rest of a file; put right, they let the
 * reader come to what is behind them.
 */
#ifndef K3_TESTS_LAYER_FORGE_H
#define K3_TESTS_LAYER_FORGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "common/le.h"

static inline struct k3_layer *
forge_open(const uint8_t *data, size_t size, int *fd)
{
	struct k3_err err;
	char path[32];

	*fd = memfd_create("layer", MFD_CLOEXEC);
	if (*fd == -1 || pwrite(*fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	return k3_layer_open(path, &err);
}

/* All of a tensor, to be freed. */
static inline uint8_t *
forge_whole(const struct k3_layer *l, const struct k3_layer_tensor *t)
{
	uint8_t *buf = malloc(t->len + 1);
	struct k3_err err;

	/* Rows in the wrong place are found by a check, but must not crash. */
	for (uint64_t off = 0, n; buf != NULL && off < t->len; off += n) {
		n = t->len - off < 100 ? t->len - off : 100;
		if (k3_layer_read(l, t, off, buf + off, n, &err) != 0)
			abort();
	}
	return buf;
}

/* Head and trailer, of tensors with the names, kinds and shapes that it has. */
static inline bool
forge_head(struct k3_layer *l, uint8_t *data, size_t size)
{
	struct k3_err err;

	if (size < K3_FORM_HEAD || k3_form_get_start(l, data, &err) != 0 ||
	    size < l->off + k3_form_trail_len(l))
		return false;
	/* Sets the tensors, though it refuses what does not fit to them. */
	k3_form_get_table(l, data, &err);
	if (l->tensor == NULL || k3_layer_arrange(l, &err) != 0)
		return false;
	k3_form_put_head(l, data);
	l->head_digest = k3_digest64(data, l->off);
	return true;
}

static inline void
forge(uint8_t *data, size_t size)
{
	struct k3_layer l = { .path = strdup("forged"), .fd = -1 }, *open;
	uint8_t *trail, *bytes;
	int fd;

	if (l.path != NULL && forge_head(&l, data, size)) {
		trail = data + size - k3_form_trail_len(&l);
		l.rows = k3_le_get64(trail + 8);
		k3_form_put_trail(&l, trail);
		open = forge_open(data, size, &fd);
		for (uint32_t i = 0; open != NULL && i < l.ntensor; i++) {
			bytes = forge_whole(open, &open->tensor[i]);
			l.tensor[i].digest =
			    k3_digest64(bytes, open->tensor[i].len);
			free(bytes);
		}
		k3_form_put_trail(&l, trail);
		k3_layer_close(open);
		close(fd);
	}
	free(l.tensor);
	free(l.path);
}

#endif
