/*
 * verify-diff-layer.c - two layer files, element by element
 *
 * One is read as a stream, front to back, and of each piece the same bytes are
 * read of the other one.  Where both are laid out alike, as those of one tool
 * are, that is in rising order too.  All that is compared is held against the
 * digests of both files before anything is said of it.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "tools/verify-diff.h"

/* Bytes of what is read only for its digest. */
#define PIECE ((size_t)256 << 10)

/* A tensor of b: how far it was read. */
struct tail {
	struct k3_digest *digest; /* of the first 'done' bytes */
	uint64_t done;
};

struct work {
	struct diff *d;
	struct diff_pair p;
	struct tail *tail; /* [b->ntensor] */
	struct k3_buf buf;
};

/* The next 'len' bytes of a tensor of b, into w->buf. */
static int
read_on(struct work *w, uint32_t i, size_t len, struct k3_err *err)
{
	const struct k3_layer_tensor *t = &w->p.b->tensor[i];
	struct tail *tail = &w->tail[i];
	uint64_t digest;

	if (k3_buf_need(&w->buf, len, err) != 0 ||
	    k3_layer_read(w->p.b, t, tail->done, w->buf.data, len, err) != 0)
		return -1;
	if (tail->digest == NULL &&
	    (tail->digest = k3_digest_open(K3_DIGEST_64, err)) == NULL)
		return -1;
	k3_digest_add(tail->digest, w->buf.data, len);
	tail->done += len;
	tool_progress_add(&w->d->progress, len);
	if (tail->done < t->len)
		return 0;
	digest = k3_digest_get64(tail->digest);
	k3_digest_close(tail->digest);
	tail->digest = NULL;
	if (digest == t->digest)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s' tensor %s: digest is %016" PRIx64
	    ", but the trailer has %016" PRIx64,
	    w->p.b->path, t->name, digest, t->digest);
}

/* A piece of a, and its twin. */
static int
compare(struct work *w, const struct k3_layer_piece *piece, struct k3_err *err)
{
	uint32_t i = (uint32_t)(piece->tensor - w->p.a->tensor);
	uint32_t twin = w->p.twin[i];
	size_t size = k3_dtype_size(piece->tensor->dtype), len = piece->len;
	const void *x = piece->data, *y;
	uint64_t left;

	tool_progress_add(&w->d->progress, len);
	if (!w->p.t[i].compared)
		return 0;
	/* It may have fewer rows. */
	left = w->p.b->tensor[twin].len - w->tail[twin].done;
	len = len < left ? len : (size_t)left;
	if (len == 0)
		return 0;
	if (read_on(w, twin, len, err) != 0)
		return -1;
	y = w->buf.data;
	k3_compare_add(&w->p.t[i].c, w->p.turned ? y : x, w->p.turned ? x : y,
	    len / size, piece->off / size);
	return 0;
}

/* What a lacks is read too, and be it nothing: b must be whole. */
static int
read_rest(struct work *w, struct k3_err *err)
{
	for (uint32_t i = 0; i < w->p.b->ntensor; i++) {
		uint64_t len = w->p.b->tensor[i].len, left;

		do {
			left = len - w->tail[i].done;
			if (left == 0 && len > 0)
				break;
			if (read_on(w, i, left < PIECE ? (size_t)left : PIECE,
				err) != 0)
				return -1;
		} while (w->tail[i].done < len);
	}
	return 0;
}

static int
work(struct work *w, struct k3_layer_stream *s, struct k3_err *err)
{
	struct k3_layer_piece piece;
	int got;

	w->p.a = k3_layer_stream_head(s);
	w->tail = calloc(w->p.b->ntensor + (size_t)1, sizeof(*w->tail));
	if (w->tail == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate what is known of %" PRIu32 " tensors",
		    w->p.b->ntensor);
	if (diff_pair_init(w->d, &w->p, err) != 0)
		return -1;
	while ((got = k3_layer_next(s, &piece, err)) == 1)
		if (compare(w, &piece, err) != 0)
			return -1;
	if (got != 0 || read_rest(w, err) != 0)
		return -1;
	tool_progress_clear(&w->d->progress);
	diff_file(w->d, w->p.t, w->p.a->ntensor, diff_pair_found(w->d, &w->p));
	return 0;
}

static void
finish(struct work *w)
{
	for (uint32_t i = 0; w->tail != NULL && i < w->p.b->ntensor; i++)
		k3_digest_close(w->tail[i].digest);
	free(w->tail);
	k3_buf_fini(&w->buf);
	diff_pair_fini(&w->p);
	k3_layer_close(w->p.b);
}

int
diff_layers(struct diff *d, const char *const path[2], struct k3_err *err)
{
	struct work w = { .d = d };
	struct k3_layer_stream *s = NULL;
	const char *name;
	uint64_t size;
	FILE *fp;
	int bad;

	/* The stream is the one that need not be a file. */
	w.p.turned = diff_look(path[1], err) == DIFF_STREAM;
	name = path[w.p.turned];
	if ((w.p.b = k3_layer_open(path[!w.p.turned], err)) == NULL)
		return -1;
	/* The page cache reads further ahead, as it does of the stream. */
	posix_fadvise(w.p.b->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	if ((fp = diff_open(name, &size, err)) == NULL) {
		finish(&w);
		return -1;
	}
	if (strcmp(name, "-") == 0)
		name = "<stdin>";
	s = k3_layer_stream_open(fp, name, err);
	bad = s == NULL ? -1 : work(&w, s, err);
	finish(&w);
	k3_layer_stream_close(s);
	diff_close(fp);
	return bad;
}
