/*
 * encode.c - text to token IDs
 */
#include <string.h>

#include "common/tok.h"

/* Text is taken in slices of this, so that 'buf' holds a part and one more. */
#define SLICE 65536u

void
k3_encode_init(struct k3_encode *enc, const struct k3_tok *tok, bool special,
    k3_tok_put_fn *put, void *arg)
{
	*enc = (struct k3_encode){ tok, special, put, arg, { 0 }, { 0 }, 0,
		{ 0 } };
}

/* Text in which nothing is special. */
static int
put_text(struct k3_encode *enc, const char *text, size_t len,
    struct k3_err *err)
{
	const uint32_t *id;
	size_t n;

	while (len > 0) {
		size_t piece = k3_pretok(text, len);

		if (k3_bpe_encode(&enc->bpe, &enc->tok->vocab, text, piece, &id,
			&n, err) != 0 ||
		    enc->put(enc->arg, id, n, err) != 0)
			return -1;
		text += piece;
		len -= piece;
	}
	return 0;
}

/* One part: what is between special tokens is encoded on its own. */
static int
put_part(struct k3_encode *enc, const char *text, size_t len,
    struct k3_err *err)
{
	const struct k3_special *special = &enc->tok->special;
	size_t done = 0, i = 0, n;
	uint32_t id;

	while (enc->special && i < len) {
		n = k3_special_find(special, text + i, len - i, &id);
		if (n == 0) {
			i++;
			continue;
		}
		if (put_text(enc, text + done, i - done, err) != 0 ||
		    enc->put(enc->arg, &id, 1, err) != 0)
			return -1;
		i += n;
		done = i;
	}
	return put_text(enc, text + done, len - done, err);
}

/* Put all parts that are full. */
static int
put_full(struct k3_encode *enc, bool last, struct k3_err *err)
{
	struct k3_buf *buf = &enc->buf;
	size_t start = 0;
	bool full;

	for (;;) {
		enc->seen += k3_cut_scan(&enc->cut, buf->data + enc->seen,
		    buf->len - enc->seen, last, &full);
		if (!full)
			break;
		if (put_part(enc, buf->data + start, enc->seen - start, err) !=
		    0)
			return -1;
		start = enc->seen;
	}
	if (start > 0) {
		memmove(buf->data, buf->data + start, buf->len - start);
		buf->len -= start;
		enc->seen -= start;
	}
	return 0;
}

int
k3_encode_feed(struct k3_encode *enc, const char *text, size_t len,
    struct k3_err *err)
{
	while (len > 0) {
		size_t slice = len < SLICE ? len : SLICE;

		if (k3_buf_put(&enc->buf, text, slice, err) != 0 ||
		    put_full(enc, false, err) != 0)
			return -1;
		text += slice;
		len -= slice;
	}
	return 0;
}

int
k3_encode_end(struct k3_encode *enc, struct k3_err *err)
{
	int status = 0;

	if (enc->buf.len > 0)
		status = put_full(enc, true, err);
	if (status == 0 && enc->buf.len > 0)
		status = put_part(enc, enc->buf.data, enc->buf.len, err);
	enc->buf.len = 0;
	enc->seen = 0;
	enc->cut = (struct k3_cut){ 0 };
	return status;
}

void
k3_encode_fini(struct k3_encode *enc)
{
	k3_buf_fini(&enc->buf);
	k3_bpe_fini(&enc->bpe);
}
