/*
 * ids.c - token-ID streams: one sequence a line
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/ids.h"

void
k3_ids_init(struct k3_ids *ids, int fd, const char *name, uint32_t limit)
{
	ids->name = name;
	ids->line = 0;
	ids->limit = limit;
	ids->wait = NULL;
	ids->arg = NULL;
	ids->fd = fd;
	ids->open = false;
	ids->p = ids->end = ids->buf;
}

void
k3_ids_init_mem(struct k3_ids *ids, const char *text, size_t len,
    const char *name, uint32_t limit)
{
	k3_ids_init(ids, -1, name, limit);
	if (len > 0) {
		ids->p = text;
		ids->end = text + len;
	}
}

/* Is there another byte at 'p'?  Returns 1, 0 at the end, or -1. */
static int
more(struct k3_ids *ids, struct k3_err *err)
{
	ssize_t got;

	if (ids->p < ids->end)
		return 1;
	if (ids->fd == -1)
		return 0;
	if (ids->wait != NULL && ids->wait(ids->arg, err) != 0)
		return -1;
	do {
		got = read(ids->fd, ids->buf, sizeof(ids->buf));
	} while (got == -1 && errno == EINTR);
	if (got == -1)
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    ids->name);
	ids->p = ids->buf;
	ids->end = ids->buf + got;
	return got > 0;
}

static int
bad_byte(struct k3_ids *ids, struct k3_err *err)
{
	unsigned char c = (unsigned char)*ids->p;

	if (c > ' ' && c < 0x7f)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %" PRIu64 ": '%c' is not part of a token ID",
		    ids->name, ids->line, c);
	return k3_fail(err, EX_DATAERR,
	    "'%s' line %" PRIu64 ": byte 0x%02x is not part of a token ID",
	    ids->name, ids->line, c);
}

/* Read a number, of which a digit is there, and look at what follows. */
static int
number(struct k3_ids *ids, uint32_t *id, struct k3_err *err)
{
	uint64_t v = 0;
	bool huge = false;
	int got;

	while (
	    (got = more(ids, err)) == 1 && *ids->p >= '0' && *ids->p <= '9') {
		huge = huge || v > UINT64_MAX / 100;
		v = v * 10 + (uint64_t)(*ids->p++ - '0');
	}
	if (got == -1)
		return -1;
	if (got == 1 && *ids->p != ' ' && *ids->p != '\n' && *ids->p != '\t' &&
	    *ids->p != ',')
		return bad_byte(ids, err);
	if (huge)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %" PRIu64 ": token ID is not below %" PRIu32,
		    ids->name, ids->line, ids->limit);
	if (v >= ids->limit)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %" PRIu64 ": token ID %" PRIu64
		    " is not below %" PRIu32,
		    ids->name, ids->line, v, ids->limit);
	*id = (uint32_t)v;
	return K3_IDS_ID;
}

int
k3_ids_get(struct k3_ids *ids, uint32_t *id, struct k3_err *err)
{
	int got;

	while ((got = more(ids, err)) == 1) {
		char c = *ids->p;

		if (!ids->open) {
			ids->open = true;
			ids->line++;
		}
		if (c >= '0' && c <= '9')
			return number(ids, id, err);
		if (c != ' ' && c != '\t' && c != ',' && c != '\n')
			return bad_byte(ids, err);
		ids->p++;
		if (c == '\n')
			break;
	}
	if (got == -1)
		return -1;
	/* The last line may lack its newline. */
	if (!ids->open)
		return K3_IDS_EOF;
	ids->open = false;
	return K3_IDS_END;
}

static int
grow(struct k3_ids_seq *seq, struct k3_err *err)
{
	size_t cap = seq->cap < 64 ? 64 : seq->cap * 2;
	uint32_t *id = NULL;

	if (cap <= SIZE_MAX / sizeof(*id) / 2)
		id = realloc(seq->id, cap * sizeof(*id));
	if (id == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for %zu token IDs", cap);
	seq->id = id;
	seq->cap = cap;
	return 0;
}

int
k3_ids_line(struct k3_ids *ids, struct k3_ids_seq *seq, size_t max,
    struct k3_err *err)
{
	uint32_t id = 0;
	int got;

	seq->n = 0;
	while ((got = k3_ids_get(ids, &id, err)) == K3_IDS_ID) {
		if (seq->n == max)
			return k3_fail(err, EX_DATAERR,
			    "'%s' line %" PRIu64 ": more than %zu token IDs",
			    ids->name, ids->line, max);
		if (seq->n == seq->cap && grow(seq, err) != 0)
			return -1;
		seq->id[seq->n++] = id;
	}
	return got == K3_IDS_END ? 1 : got;
}

void
k3_ids_seq_fini(struct k3_ids_seq *seq)
{
	free(seq->id);
	*seq = (struct k3_ids_seq){ 0 };
}

static int
put(struct k3_ids_out *out, const char *text, size_t len, bool flush,
    struct k3_err *err)
{
	if (fwrite_unlocked(text, 1, len, out->fp) == len &&
	    (!flush || fflush(out->fp) == 0))
		return 0;
	return k3_fail_errno(err, EX_IOERR, "cannot write '%s'", out->name);
}

int
k3_ids_put(struct k3_ids_out *out, uint32_t id, struct k3_err *err)
{
	char text[12], *p = text + sizeof(text);

	/* By hand: printf would take half of k3-tok's time. */
	do {
		*--p = (char)('0' + id % 10);
	} while ((id /= 10) != 0);
	if (out->open)
		*--p = ' ';
	out->open = true;
	return put(out, p, (size_t)(text + sizeof(text) - p), out->flush, err);
}

int
k3_ids_end(struct k3_ids_out *out, struct k3_err *err)
{
	out->open = false;
	return put(out, "\n", 1, out->flush, err);
}
