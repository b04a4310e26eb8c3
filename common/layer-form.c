/*
 * layer-form.c - the bytes of a layer file, as k3-layer(5) describes them
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/layer-form.h"
#include "common/le.h"

static const uint8_t magic[8] = { 'k', '3', '-', 'l', 'a', 'y', 'e', 'r' };
static const uint8_t trail_magic[8] = { 'k', '3', '-', 't', 'r', 'a', 'i',
	'l' };

/* Fields of the head, of an entry and of the trailer, by their offset. */
enum {
	H_VERSION = 8,
	H_KIND = 12,
	H_LAYER = 16,
	H_NTENSOR = 20,
	H_FINGERPRINT = 24,
	H_OFF = 40,
	H_LEN = 48,
	H_BLOCK_ROWS = 56,
	H_ZERO = 60,

	E_DTYPE = 96,
	E_ENCODING = 100,
	E_GROWS = 104,
	E_NDIM = 108,
	E_DIM = 112,
	E_OFF = 144,
	E_LEN = 152,
	E_STORED = 160,
	E_ZERO = 168,

	T_ROWS = 8,
	T_HEAD = 16,
	T_DIGESTS = 24,
};

const char *
k3_layer_kind_name(enum k3_layer_kind kind)
{
	static const char *const name[K3_LAYER_NKIND] = { "?", "trunk", "head",
		"hidden", "session" };

	return name[kind];
}

uint64_t
k3_form_pad(uint64_t len, uint64_t align)
{
	return -len & (align - 1);
}

/* Bytes of the elements, of one row if the tensor grows; or K3_FORM_MAX. */
static uint64_t
elements(const struct k3_layer_tensor *t)
{
	uint64_t n = k3_dtype_size(t->dtype);

	for (unsigned i = t->grows ? 1 : 0; i < t->ndim; i++)
		if (__builtin_mul_overflow(n, t->dim[i], &n) ||
		    n >= K3_FORM_MAX)
			return K3_FORM_MAX;
	return n;
}

uint64_t
k3_form_row(const struct k3_layer_tensor *t)
{
	return elements(t);
}

uint64_t
k3_form_block(const struct k3_layer *l, uint64_t rows)
{
	uint64_t sum = K3_FORM_BLOCK, n;

	for (uint32_t i = 0; i < l->ntensor; i++) {
		if (!l->tensor[i].grows)
			continue;
		if (__builtin_mul_overflow(rows, elements(&l->tensor[i]), &n) ||
		    n >= K3_FORM_MAX)
			return K3_FORM_MAX;
		sum += n + k3_form_pad(n, K3_ALIGN);
		if (sum >= K3_FORM_MAX)
			return K3_FORM_MAX;
	}
	return sum;
}

size_t
k3_form_trail_len(const struct k3_layer *l)
{
	return K3_FORM_TRAIL + (size_t)8 * l->ntensor;
}

uint64_t
k3_layer_size(const struct k3_layer *l, uint64_t rows)
{
	uint64_t size = l->off + l->len + k3_form_trail_len(l), n;

	if (l->block_rows == 0)
		return rows == 0 ? size : 0;
	size += K3_FORM_BLOCK;
	if (__builtin_mul_overflow(rows / l->block_rows,
		k3_form_block(l, l->block_rows), &n) ||
	    n >= K3_FORM_MAX)
		return 0;
	size += n;
	if (rows % l->block_rows != 0)
		size += k3_form_block(l, rows % l->block_rows);
	return size < K3_FORM_MAX ? size : 0;
}

/* 1 to 95 bytes of printable ASCII without blanks, then zeros. */
static bool
good_name(const char name[K3_LAYER_NAME])
{
	size_t n = 0;

	while (n < K3_LAYER_NAME && name[n] > ' ' && name[n] <= '~')
		n++;
	if (n == 0)
		return false;
	for (size_t i = n; i < K3_LAYER_NAME; i++)
		if (name[i] != '\0')
			return false;
	return n < K3_LAYER_NAME;
}

static int
bad(const struct k3_layer *l, uint32_t i, const char *what, struct k3_err *err)
{
	if (!good_name(l->tensor[i].name))
		return k3_fail(err, EX_DATAERR, "'%s' tensor %" PRIu32 ": %s",
		    l->path, i, what);
	return k3_fail(err, EX_DATAERR, "'%s' tensor %s: %s", l->path,
	    l->tensor[i].name, what);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Those of a layer of the model need no memory: k3_pack_table() can't fail. */
static int
check_names(const struct k3_layer *l, struct k3_err *err)
{
	const char *few[K3_NTENSOR], **name = few;
	uint32_t i;

	for (i = 0; i < l->ntensor; i++)
		if (!good_name(l->tensor[i].name))
			return bad(l, i, "bad name", err);
	if (l->ntensor > K3_NTENSOR)
		name = malloc(sizeof(*name) * l->ntensor);
	if (name == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate %zu bytes",
		    sizeof(*name) * l->ntensor);
	for (i = 0; i < l->ntensor; i++)
		name[i] = l->tensor[i].name;
	qsort(name, l->ntensor, sizeof(*name), by_name);
	for (i = 1; i < l->ntensor && strcmp(name[i - 1], name[i]) != 0; i++)
		;
	if (i < l->ntensor)
		k3_fail(err, EX_DATAERR, "'%s' tensor %s: named twice", l->path,
		    name[i]);
	if (name != few)
		free(name);
	return i < l->ntensor ? -1 : 0;
}

static int
arrange_tensor(struct k3_layer *l, uint32_t i, uint64_t *end,
    struct k3_err *err)
{
	struct k3_layer_tensor *t = &l->tensor[i];

	if ((unsigned)t->dtype >= K3_NDTYPE)
		return bad(l, i, "unknown dtype", err);
	if (t->encoding != K3_LAYER_PLAIN)
		return bad(l, i, "unknown encoding", err);
	if (t->ndim < 1 || t->ndim > K3_LAYER_NDIM)
		return bad(l, i, "dimensions not from 1 to 4", err);
	t->len = t->stored = elements(t);
	if (t->len >= K3_FORM_MAX)
		return bad(l, i, "shape overflows", err);
	t->off = 0;
	if (t->grows)
		return t->len > 0 ? 0 : bad(l, i, "rows are empty", err);
	t->off = *end + k3_form_pad(*end, K3_ALIGN);
	*end = t->off + t->len;
	return *end < K3_FORM_MAX ? 0 : bad(l, i, "shape overflows", err);
}

int
k3_layer_arrange(struct k3_layer *l, struct k3_err *err)
{
	uint64_t end = 0, head;
	bool grows = false;

	if (check_names(l, err) != 0)
		return -1;
	for (uint32_t i = 0; i < l->ntensor; i++) {
		if (arrange_tensor(l, i, &end, err) != 0)
			return -1;
		grows |= l->tensor[i].grows;
	}
	if (grows != (l->block_rows > 0))
		return k3_fail(err, EX_DATAERR,
		    "'%s' head: %" PRIu32 " rows a block, but %s grow", l->path,
		    l->block_rows, grows ? "tensors" : "no tensors");
	if (k3_form_block(l, l->block_rows) >= K3_FORM_MAX)
		return k3_fail(err, EX_DATAERR,
		    "'%s' head: size of a block overflows", l->path);
	head = K3_FORM_HEAD + (uint64_t)K3_FORM_ENTRY * l->ntensor;
	l->off = head + k3_form_pad(head, K3_PAGE);
	l->len = end + k3_form_pad(end, K3_PAGE);
	return 0;
}

static void
put_entry(const struct k3_layer_tensor *t, uint8_t *e)
{
	memcpy(e, t->name, strlen(t->name));
	k3_le_put32(e + E_DTYPE, t->dtype);
	k3_le_put32(e + E_ENCODING, t->encoding);
	k3_le_put32(e + E_GROWS, t->grows);
	k3_le_put32(e + E_NDIM, t->ndim);
	for (size_t i = t->grows ? 1 : 0; i < t->ndim; i++)
		k3_le_put64(e + E_DIM + 8 * i, t->dim[i]);
	k3_le_put64(e + E_OFF, t->off);
	k3_le_put64(e + E_LEN, t->len);
	k3_le_put64(e + E_STORED, t->stored);
}

void
k3_layer_magic(enum k3_layer_kind kind, uint8_t head[K3_LAYER_MAGIC])
{
	memcpy(head, magic, sizeof(magic));
	k3_le_put32(head + H_VERSION, K3_FORM_VERSION);
	k3_le_put32(head + H_KIND, kind);
}

void
k3_form_put_head(const struct k3_layer *l, uint8_t *head)
{
	memset(head, 0, l->off);
	k3_layer_magic(l->kind, head);
	k3_le_put32(head + H_LAYER, l->layer);
	k3_le_put32(head + H_NTENSOR, l->ntensor);
	memcpy(head + H_FINGERPRINT, l->fingerprint, K3_DIGEST128);
	k3_le_put64(head + H_OFF, l->off);
	k3_le_put64(head + H_LEN, l->len);
	k3_le_put32(head + H_BLOCK_ROWS, l->block_rows);
	for (uint32_t i = 0; i < l->ntensor; i++)
		put_entry(&l->tensor[i],
		    head + K3_FORM_HEAD + (size_t)K3_FORM_ENTRY * i);
}

void
k3_form_put_trail(const struct k3_layer *l, uint8_t *trail)
{
	size_t n = k3_form_trail_len(l) - 8;

	memcpy(trail, trail_magic, sizeof(trail_magic));
	k3_le_put64(trail + T_ROWS, l->rows);
	k3_le_put64(trail + T_HEAD, l->head_digest);
	for (uint32_t i = 0; i < l->ntensor; i++)
		k3_le_put64(trail + T_DIGESTS + (size_t)8 * i,
		    l->tensor[i].digest);
	k3_le_put64(trail + n, k3_digest64(trail, n));
}

int
k3_form_get_start(struct k3_layer *l, const uint8_t *head, struct k3_err *err)
{
	uint32_t version = k3_le_get32(head + H_VERSION);
	uint32_t kind = k3_le_get32(head + H_KIND);

	if (memcmp(head, magic, sizeof(magic)) != 0)
		return k3_fail(err, EX_DATAERR, "'%s': not a layer file",
		    l->path);
	if (version != K3_FORM_VERSION)
		return k3_fail(err, EX_DATAERR,
		    "'%s': version %" PRIu32 " of the format, not %d", l->path,
		    version, K3_FORM_VERSION);
	if (kind < K3_LAYER_TRUNK || kind >= K3_LAYER_NKIND)
		return k3_fail(err, EX_DATAERR,
		    "'%s' head: unknown kind %" PRIu32, l->path, kind);
	l->kind = (enum k3_layer_kind)kind;
	l->layer = k3_le_get32(head + H_LAYER);
	l->ntensor = k3_le_get32(head + H_NTENSOR);
	memcpy(l->fingerprint, head + H_FINGERPRINT, K3_DIGEST128);
	l->block_rows = k3_le_get32(head + H_BLOCK_ROWS);
	if (l->layer > K3_MAX_LAYERS || l->ntensor > K3_LAYER_TENSOR)
		return k3_fail(err, EX_DATAERR,
		    "'%s' head: layer %" PRIu32 " or %" PRIu32
		    " tensors are out of bounds",
		    l->path, l->layer, l->ntensor);
	l->off = K3_FORM_HEAD + (uint64_t)K3_FORM_ENTRY * l->ntensor;
	l->off += k3_form_pad(l->off, K3_PAGE);
	return 0;
}

static void
get_entry(struct k3_layer_tensor *t, const uint8_t *e)
{
	memcpy(t->name, e, K3_LAYER_NAME);
	t->dtype = (enum k3_dtype)k3_le_get32(e + E_DTYPE);
	t->encoding = k3_le_get32(e + E_ENCODING);
	t->grows = k3_le_get32(e + E_GROWS) != 0;
	t->ndim = k3_le_get32(e + E_NDIM);
	for (size_t i = 0; i < K3_LAYER_NDIM; i++)
		t->dim[i] = k3_le_get64(e + E_DIM + 8 * i);
}

/*
 * All of the head but names, kinds and shapes follows from them.  So it is
 * worked out again and compared: one rule for padding, offsets and lengths,
 * and no second description of the format.
 */
int
k3_form_get_table(struct k3_layer *l, const uint8_t *head, struct k3_err *err)
{
	uint8_t *again;
	uint64_t i = 0, len = l->off;

	l->tensor = calloc(l->ntensor + (size_t)1, sizeof(*l->tensor));
	again = malloc(len);
	if (l->tensor == NULL || again == NULL) {
		free(again);
		return k3_fail(err, EX_OSERR,
		    "cannot allocate %" PRIu64 " bytes", len);
	}
	for (i = 0; i < l->ntensor; i++)
		get_entry(&l->tensor[i],
		    head + K3_FORM_HEAD + (size_t)K3_FORM_ENTRY * i);
	if (k3_layer_arrange(l, err) != 0) {
		free(again);
		return -1;
	}
	k3_form_put_head(l, again);
	for (i = 0; i < len && head[i] == again[i]; i++)
		;
	if (i < len)
		k3_fail(err, EX_DATAERR,
		    "'%s' byte %" PRIu64 ": %d, but the format wants %d here",
		    l->path, i, head[i], again[i]);
	free(again);
	l->head_digest = k3_digest64(head, len);
	return i < len ? -1 : 0;
}

int
k3_form_get_trail(struct k3_layer *l, const uint8_t *trail, struct k3_err *err)
{
	size_t n = k3_form_trail_len(l) - 8;

	if (memcmp(trail, trail_magic, sizeof(trail_magic)) != 0)
		return k3_fail(err, EX_DATAERR, "'%s': no trailer at its end",
		    l->path);
	if (k3_le_get64(trail + n) != k3_digest64(trail, n))
		return k3_fail(err, EX_DATAERR, "'%s' trailer: digest differs",
		    l->path);
	if (k3_le_get64(trail + T_HEAD) != l->head_digest)
		return k3_fail(err, EX_DATAERR, "'%s' head: digest differs",
		    l->path);
	l->rows = k3_le_get64(trail + T_ROWS);
	for (uint32_t i = 0; i < l->ntensor; i++)
		l->tensor[i].digest =
		    k3_le_get64(trail + T_DIGESTS + (size_t)8 * i);
	return 0;
}

void
k3_form_grown(struct k3_layer *l)
{
	for (uint32_t i = 0; i < l->ntensor; i++) {
		struct k3_layer_tensor *t = &l->tensor[i];

		if (!t->grows)
			continue;
		t->len = t->stored = elements(t) * l->rows;
		t->dim[0] = l->rows;
	}
}
