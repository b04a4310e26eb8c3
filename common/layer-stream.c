/*
 * layer-stream.c - layer files in one pass
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "common/le.h"

#define PIECE ((size_t)256 << 10)

/*
 * A section is the payload or a block: the tensors that do not grow, or some
 * rows of those that do.  'next' walks the table in each.
 */
struct k3_layer_stream {
	struct k3_layer *l;
	FILE *fp;                 /* NULL: read l->fd at pos instead */
	uint64_t pos;             /* bytes taken */
	bool block;               /* the section is a block */
	bool open;                /* a tensor is in work */
	bool ended;               /* the trailer was read */
	uint64_t rows;            /* of the block */
	uint32_t next;            /* tensor to look at */
	uint32_t now;             /* tensor in work */
	uint64_t left;            /* of it, in this section */
	struct k3_digest *fixed;  /* of the tensor in work, if it is fixed */
	struct k3_digest **grown; /* [ntensor], of those that grow */
	uint64_t *digest;         /* [ntensor], as computed */
	uint64_t *got;            /* [ntensor], bytes delivered */
	uint8_t *buf;             /* [PIECE] */
};

static int
take(struct k3_layer_stream *s, void *buf, size_t len, struct k3_err *err)
{
	uint8_t *p = buf;
	size_t done = 0;

	if (s->fp != NULL)
		done = fread(p, 1, len, s->fp);
	while (s->fp == NULL && done < len) {
		ssize_t n = pread(s->l->fd, p + done, len - done,
		    (off_t)(s->pos + done));

		if (n == -1 && errno != EINTR)
			return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
			    s->l->path);
		if (n == 0)
			break;
		if (n > 0)
			done += (size_t)n;
	}
	s->pos += done;
	if (done == len)
		return 0;
	if (s->fp != NULL && ferror(s->fp))
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    s->l->path);
	return k3_fail(err, EX_DATAERR, "'%s' byte %" PRIu64 ": it ends here",
	    s->l->path, s->pos);
}

/* Take padding, which must be zero. */
static int
take_zero(struct k3_layer_stream *s, size_t len, struct k3_err *err)
{
	if (take(s, s->buf, len, err) != 0)
		return -1;
	for (size_t i = 0; i < len; i++)
		if (s->buf[i] != 0)
			return k3_fail(err, EX_DATAERR,
			    "'%s' byte %" PRIu64 ": padding is not zero",
			    s->l->path, s->pos - len + i);
	return 0;
}

static int
take_head(struct k3_layer_stream *s, struct k3_err *err)
{
	struct k3_layer *l = s->l;
	uint8_t start[K3_FORM_HEAD], *head;
	int bad;

	if (take(s, start, sizeof(start), err) != 0 ||
	    k3_form_get_start(l, start, err) != 0)
		return -1;
	head = malloc(l->off);
	if (head == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate %" PRIu64 " bytes", l->off);
	memcpy(head, start, sizeof(start));
	bad = take(s, head + sizeof(start), l->off - sizeof(start), err) != 0 ||
	      k3_form_get_table(l, head, err) != 0;
	free(head);
	return bad ? -1 : 0;
}

static int
allocate(struct k3_layer_stream *s, struct k3_err *err)
{
	struct k3_layer *l = s->l;
	size_t n = l->ntensor + (size_t)1;

	s->grown = calloc(n, sizeof(struct k3_digest *));
	s->digest = calloc(n, sizeof(*s->digest));
	s->got = calloc(n, sizeof(*s->got));
	if (s->grown == NULL || s->digest == NULL || s->got == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate digests of %" PRIu32 " tensors",
		    l->ntensor);
	s->fixed = k3_digest_open(K3_DIGEST_64, err);
	if (s->fixed == NULL)
		return -1;
	for (uint32_t i = 0; i < l->ntensor; i++)
		if (l->tensor[i].grows &&
		    (s->grown[i] = k3_digest_open(K3_DIGEST_64, err)) == NULL)
			return -1;
	return 0;
}

/* Of the stream 'fp', or of 'file' if that is not NULL. */
static struct k3_layer_stream *
begin(FILE *fp, const struct k3_layer *file, const char *name,
    struct k3_err *err)
{
	struct k3_layer_stream *s = calloc(1, sizeof(*s));
	struct k3_layer *l = calloc(1, sizeof(*l));

	if (s == NULL || l == NULL || (l->path = strdup(name)) == NULL ||
	    (s->buf = malloc(PIECE)) == NULL) {
		k3_fail(err, EX_OSERR, "cannot allocate a layer file");
		if (l != NULL)
			free(l->path);
		free(l);
		free(s);
		return NULL;
	}
	s->l = l;
	s->fp = fp;
	l->fd = file != NULL ? file->fd : -1;
	if (take_head(s, err) == 0 && allocate(s, err) == 0)
		return s;
	k3_layer_stream_close(s);
	return NULL;
}

struct k3_layer_stream *
k3_layer_stream_open(FILE *fp, const char *name, struct k3_err *err)
{
	return begin(fp, NULL, name, err);
}

void
k3_layer_stream_close(struct k3_layer_stream *s)
{
	if (s == NULL)
		return;
	if (s->grown != NULL)
		for (uint32_t i = 0; i < s->l->ntensor; i++)
			k3_digest_close(s->grown[i]);
	k3_digest_close(s->fixed);
	free(s->grown);
	free(s->digest);
	free(s->got);
	free(s->buf);
	s->l->fd = -1; /* never ours */
	k3_layer_close(s->l);
	free(s);
}

const struct k3_layer *
k3_layer_stream_head(const struct k3_layer_stream *s)
{
	return s->l;
}

static int
check_digests(struct k3_layer_stream *s, struct k3_err *err)
{
	for (uint32_t i = 0; i < s->l->ntensor; i++) {
		struct k3_layer_tensor *t = &s->l->tensor[i];

		if (t->grows)
			s->digest[i] = k3_digest_get64(s->grown[i]);
		if (s->digest[i] != t->digest)
			return k3_fail(err, EX_DATAERR,
			    "'%s' tensor %s: digest is %016" PRIx64
			    ", but the trailer has %016" PRIx64,
			    s->l->path, t->name, s->digest[i], t->digest);
	}
	return 0;
}

static int
finish(struct k3_layer_stream *s, struct k3_err *err)
{
	size_t len = k3_form_trail_len(s->l);
	uint64_t rows = s->l->rows;
	uint8_t *trail = malloc(len);
	int bad;

	if (trail == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate %zu bytes", len);
	bad = take(s, trail, len, err) != 0 ||
	      k3_form_get_trail(s->l, trail, err) != 0;
	free(trail);
	if (bad)
		return -1;
	if (s->l->rows != rows)
		return k3_fail(err, EX_DATAERR,
		    "'%s' trailer: %" PRIu64 " rows, but there were %" PRIu64,
		    s->l->path, s->l->rows, rows);
	if (s->fp != NULL && getc(s->fp) != EOF)
		return k3_fail(err, EX_DATAERR,
		    "'%s' byte %" PRIu64 ": something after the trailer",
		    s->l->path, s->pos);
	k3_form_grown(s->l);
	s->ended = true;
	return check_digests(s, err);
}

/* A tensor's part of this section is delivered: its digest, its padding. */
static int
close_tensor(struct k3_layer_stream *s, struct k3_err *err)
{
	uint64_t pad = k3_form_pad(s->pos, K3_ALIGN);

	s->open = false;
	if (!s->block) {
		s->digest[s->now] = k3_digest_get64(s->fixed);
		k3_digest_reset(s->fixed);
	}
	return take_zero(s, pad, err);
}

/* Step to the next tensor of this section; false at its end. */
static bool
open_tensor(struct k3_layer_stream *s)
{
	while (s->next < s->l->ntensor) {
		const struct k3_layer_tensor *t = &s->l->tensor[s->next];

		s->now = s->next++;
		if (t->grows != s->block)
			continue;
		s->left = s->block ? s->rows * k3_form_row(t) : t->stored;
		s->open = true;
		return true;
	}
	return false;
}

/* Step to the next block, or check the end of the file. */
static int
open_block(struct k3_layer_stream *s, struct k3_err *err)
{
	struct k3_layer *l = s->l;
	uint8_t head[K3_FORM_BLOCK];
	uint64_t rows;

	if (!s->block && take_zero(s, l->off + l->len - s->pos, err) != 0)
		return -1;
	if (l->block_rows == 0)
		return finish(s, err);
	if (take(s, head, 8, err) != 0 ||
	    take_zero(s, K3_FORM_BLOCK - 8, err) != 0)
		return -1;
	rows = k3_le_get64(head);
	if (rows > l->block_rows || (rows > 0 && l->rows % l->block_rows != 0))
		return k3_fail(err, EX_DATAERR,
		    "'%s' byte %" PRIu64 ": %" PRIu64 " rows in a block",
		    l->path, s->pos - K3_FORM_BLOCK, rows);
	if (rows == 0)
		return finish(s, err);
	s->block = true;
	s->rows = rows;
	s->next = 0;
	l->rows += rows;
	return 0;
}

int
k3_layer_next(struct k3_layer_stream *s, struct k3_layer_piece *piece,
    struct k3_err *err)
{
	while (s->left == 0 && !s->ended) {
		if (s->open && close_tensor(s, err) != 0)
			return -1;
		if (!open_tensor(s) && open_block(s, err) != 0)
			return -1;
	}
	if (s->ended)
		return 0;
	piece->len = s->left < PIECE ? s->left : PIECE;
	if (take(s, s->buf, piece->len, err) != 0)
		return -1;
	piece->tensor = &s->l->tensor[s->now];
	piece->data = s->buf;
	piece->off = s->got[s->now];
	k3_digest_add(s->block ? s->grown[s->now] : s->fixed, s->buf,
	    piece->len);
	s->got[s->now] += piece->len;
	s->left -= piece->len;
	return 1;
}

int
k3_layer_check(const struct k3_layer *l, k3_layer_moved_fn *moved, void *arg,
    struct k3_err *err)
{
	struct k3_layer_stream *s = begin(NULL, l, l->path, err);
	struct k3_layer_piece piece;
	int got;

	if (s == NULL)
		return -1;
	while ((got = k3_layer_next(s, &piece, err)) == 1)
		if (moved != NULL && !moved(arg, piece.len)) {
			got = k3_fail(err, EX_IOERR, "cannot go on: stopped");
			break;
		}
	k3_layer_stream_close(s);
	return got;
}
