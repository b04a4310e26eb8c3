/*
 * layer-read.c - layer files that can be addressed
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/layer-form.h"

/* The kernel cuts a longer read short. */
#define LARGEST_READ ((size_t)1 << 30)

static int
read_at(const struct k3_layer *l, uint64_t off, void *buf, size_t len,
    struct k3_err *err)
{
	uint8_t *p = buf;

	while (len > 0) {
		size_t want = len < LARGEST_READ ? len : LARGEST_READ;
		ssize_t n = pread(l->fd, p, want, (off_t)off);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
			    l->path);
		if (n == 0)
			return k3_fail(err, EX_DATAERR,
			    "'%s' byte %" PRIu64 ": the file ends here",
			    l->path, off);
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int
read_head(struct k3_layer *l, uint64_t size, struct k3_err *err)
{
	uint8_t start[K3_FORM_HEAD], *head;
	int bad;

	if (size < sizeof(start))
		return k3_fail(err, EX_DATAERR, "'%s': not a layer file",
		    l->path);
	if (read_at(l, 0, start, sizeof(start), err) != 0 ||
	    k3_form_get_start(l, start, err) != 0)
		return -1;
	if (l->off > size)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes, but the head has %" PRIu64,
		    l->path, size, l->off);
	head = malloc(l->off);
	if (head == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate %" PRIu64 " bytes", l->off);
	bad = read_at(l, 0, head, l->off, err) != 0 ||
	      k3_form_get_table(l, head, err) != 0;
	free(head);
	return bad ? -1 : 0;
}

static int
read_trail(struct k3_layer *l, uint64_t size, struct k3_err *err)
{
	size_t len = k3_form_trail_len(l);
	uint8_t *trail;
	uint64_t want;
	int bad;

	want = l->off + l->len + len;
	if (size < want)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes, but head, payload and trailer "
		    "are %" PRIu64,
		    l->path, size, want);
	trail = malloc(len);
	if (trail == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate %zu bytes", len);
	bad = read_at(l, size - len, trail, len, err) != 0 ||
	      k3_form_get_trail(l, trail, err) != 0;
	free(trail);
	if (bad)
		return -1;
	want = k3_layer_size(l, l->rows);
	if (size != want)
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes, but with %" PRIu64
		    " rows there should be %" PRIu64,
		    l->path, size, l->rows, want);
	k3_form_grown(l);
	return 0;
}

struct k3_layer *
k3_layer_open(const char *path, struct k3_err *err)
{
	struct k3_layer *l = calloc(1, sizeof(*l));
	struct stat st;

	if (l == NULL || (l->path = strdup(path)) == NULL) {
		free(l);
		k3_fail(err, EX_OSERR, "cannot allocate a layer file");
		return NULL;
	}
	/* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
	l->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (l->fd == -1 || fstat(l->fd, &st) != 0)
		k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", path);
	else if (!S_ISREG(st.st_mode))
		k3_fail(err, EX_NOINPUT, "cannot open '%s': not a regular file",
		    path);
	else if (read_head(l, (uint64_t)st.st_size, err) == 0 &&
		 read_trail(l, (uint64_t)st.st_size, err) == 0)
		return l;
	k3_layer_close(l);
	return NULL;
}

void
k3_layer_close(struct k3_layer *l)
{
	if (l == NULL)
		return;
	if (l->fd != -1)
		close(l->fd);
	free(l->tensor);
	free(l->path);
	free(l);
}

const struct k3_layer_tensor *
k3_layer_find(const struct k3_layer *l, const char *name)
{
	for (uint32_t i = 0; i < l->ntensor; i++)
		if (strcmp(l->tensor[i].name, name) == 0)
			return &l->tensor[i];
	return NULL;
}

/* Where a row of a tensor that grows stands, and how many from it adjoin. */
static uint64_t
find_row(const struct k3_layer *l, const struct k3_layer_tensor *t,
    uint64_t row, uint64_t *adjacent)
{
	uint64_t block = row / l->block_rows;
	uint64_t first = block * l->block_rows;
	uint64_t rows = l->rows - first;
	uint64_t off = l->off + l->len + K3_FORM_BLOCK;

	if (rows > l->block_rows)
		rows = l->block_rows;
	off += block * k3_form_block(l, l->block_rows);
	for (const struct k3_layer_tensor *u = l->tensor; u < t; u++) {
		uint64_t n = u->grows ? rows * k3_form_row(u) : 0;

		off += n + k3_form_pad(n, K3_ALIGN);
	}
	*adjacent = rows - (row - first);
	return off + (row - first) * k3_form_row(t);
}

int
k3_layer_read(const struct k3_layer *l, const struct k3_layer_tensor *t,
    uint64_t off, void *buf, size_t len, struct k3_err *err)
{
	uint64_t row, n, at, adjacent;
	uint8_t *p = buf;

	if (off > t->len || len > t->len - off)
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor %s: bytes %" PRIu64 " to %" PRIu64
		    " of %" PRIu64,
		    l->path, t->name, off, off + len, t->len);
	if (!t->grows)
		return read_at(l, l->off + t->off + off, buf, len, err);
	row = k3_form_row(t);
	for (; len > 0; p += n, off += n, len -= n) {
		at = find_row(l, t, off / row, &adjacent) + off % row;
		n = adjacent * row - off % row;
		if (n > len)
			n = len;
		if (read_at(l, at, p, n, err) != 0)
			return -1;
	}
	return 0;
}

int
k3_layer_check_tensor(const struct k3_layer *l, const struct k3_layer_tensor *t,
    const void *data, struct k3_err *err)
{
	uint64_t digest = k3_digest64(data, t->stored);

	if (digest == t->digest)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s' tensor %s: digest is %016" PRIx64
	    ", but the trailer has %016" PRIx64,
	    l->path, t->name, digest, t->digest);
}
