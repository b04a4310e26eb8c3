/*
 * verify-layer.c - a packed layer against its own digests, and the shards
 *
 * Its payload passes once, from its first byte to its last, and beside it the
 * same tensors from the shards.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/flow.h"
#include "tools/tool-signal.h"
#include "tools/verify.h"

#define BLOCK  ((size_t)4 << 20)
#define BLOCKS 4

/* Bytes that come in blocks and go in pieces. */
struct stream {
	struct k3_flow *flow;
	struct k3_flow_block block;
	size_t used; /* of the block */
};

struct job {
	struct verify *v;
	const struct verify_layer_ask *ask;
	struct stream packed, shards;
	struct k3_digest *digest;
	bool asked;  /* for the range of the packed file */
	unsigned t;  /* the next tensor of the shards to be read */
	uint64_t at; /* of the payload */
};

static int
next_packed(void *arg, struct k3_flow_range *r, struct k3_err *err)
{
	struct job *j = arg;
	const struct k3_layer *l = j->ask->file;

	if (j->asked)
		return 0;
	j->asked = true;
	r->file = k3_io_file(j->ask->io, l->path, l->fd, err);
	r->off = l->off;
	r->len = l->len;
	r->what = "payload";
	return r->file == NULL ? -1 : 1;
}

static int
next_shards(void *arg, struct k3_flow_range *r, struct k3_err *err)
{
	struct job *j = arg;
	struct verify *v = j->v;
	struct k3_shape shape;
	struct k3_loc loc;

	while (j->t < K3_NTENSOR && !k3_tensor_shape(&v->cfg, j->ask->layer,
					(enum k3_tensor)j->t, &shape))
		j->t++;
	if (j->t == K3_NTENSOR)
		return 0;
	loc = k3_st_tensor(v->st, j->ask->layer, (enum k3_tensor)j->t++);
	r->file = k3_shards_file(j->ask->shards, loc.file, err);
	r->off = loc.off;
	r->len = loc.len;
	r->what = "tensor";
	return r->file == NULL ? -1 : 1;
}

/* Some bytes, at most *len: where they are, and *len how many.  NULL: err. */
static const uint8_t *
take(struct job *j, struct stream *s, uint64_t *len, struct k3_err *err)
{
	const uint8_t *p;
	int got;

	if (s->used == s->block.len) {
		if (tool_signal_stop())
			verify_die(j->v, NULL);
		got = k3_flow_get(s->flow, &s->block, err);
		s->used = 0;
		if (got == 0)
			k3_fail(err, EX_SOFTWARE, "a layer has no end");
		if (got < 0 && s->block.dead)
			verify_die(j->v, err);
		if (got != 1) {
			s->block.len = 0;
			return NULL;
		}
		tool_progress_add(&j->v->progress, s->block.len);
	}
	if (*len > s->block.len - s->used)
		*len = s->block.len - s->used;
	p = s->block.data + s->used;
	s->used += *len;
	return p;
}

/* Padding up to 'end' of the payload is zero. */
static int
padding(struct job *j, uint64_t end, struct k3_err *err)
{
	const struct k3_layer *l = j->ask->file;
	bool told = false;

	while (j->at < end) {
		uint64_t n = end - j->at;
		const uint8_t *p = take(j, &j->packed, &n, err);

		if (p == NULL)
			return -1;
		for (uint64_t i = 0; i < n && !told; i++) {
			if (p[i] == 0)
				continue;
			k3_fail(err, EX_DATAERR,
			    "'%s' byte %" PRIu64 ": padding is not zero",
			    l->path, l->off + j->at + i);
			verify_found(j->v, err);
			told = true;
		}
		j->at += n;
	}
	return 0;
}

/* The first byte that is another, or n. */
static uint64_t
differs(const uint8_t *a, const uint8_t *b, uint64_t n)
{
	uint64_t i = 0;

	if (memcmp(a, b, n) == 0)
		return n;
	while (a[i] == b[i])
		i++;
	return i;
}

/* A piece of the packed tensor at p against the shards', from byte 'at' on. */
static int
compare(struct job *j, const uint8_t *p, uint64_t at, uint64_t len,
    uint64_t *wrong, struct k3_err *err)
{
	for (uint64_t done = 0, n; done < len; done += n) {
		const uint8_t *q;

		n = len - done;
		if ((q = take(j, &j->shards, &n, err)) == NULL)
			return -1;
		if (*wrong == UINT64_MAX && differs(p + done, q, n) < n)
			*wrong = at + done + differs(p + done, q, n);
	}
	return 0;
}

static int
tensor(struct job *j, const struct k3_layer_tensor *t, struct k3_err *err)
{
	const struct k3_layer *l = j->ask->file;
	uint64_t wrong = UINT64_MAX, digest;

	k3_digest_reset(j->digest);
	for (uint64_t done = 0, n; done < t->len; done += n) {
		const uint8_t *p;

		n = t->len - done;
		if ((p = take(j, &j->packed, &n, err)) == NULL)
			return -1;
		k3_digest_add(j->digest, p, n);
		if (j->shards.flow != NULL &&
		    compare(j, p, done, n, &wrong, err) != 0)
			return -1;
		j->at += n;
	}
	digest = k3_digest_get64(j->digest);
	if (digest != t->digest)
		k3_fail(err, EX_DATAERR,
		    "'%s' tensor %s: digest is %016" PRIx64
		    ", but the trailer has %016" PRIx64,
		    l->path, t->name, digest, t->digest);
	else if (wrong != UINT64_MAX)
		k3_fail(err, EX_DATAERR,
		    "'%s' tensor %s: has its digest, but byte %" PRIu64
		    " is another in the model",
		    l->path, t->name, wrong);
	if (digest != t->digest || wrong != UINT64_MAX)
		verify_found(j->v, err);
	return 0;
}

static int
walk(struct job *j, struct k3_err *err)
{
	const struct k3_layer *l = j->ask->file;

	for (uint32_t i = 0; i < l->ntensor; i++)
		if (padding(j, l->tensor[i].off, err) != 0 ||
		    tensor(j, &l->tensor[i], err) != 0)
			return -1;
	return padding(j, l->len, err);
}

void
verify_layer(struct verify *v, const struct verify_layer_ask *ask)
{
	struct job j = { .v = v, .ask = ask };
	struct k3_err err;

	if ((j.digest = k3_digest_open(K3_DIGEST_64, &err)) == NULL ||
	    (j.packed.flow = k3_flow_open(ask->io, BLOCK, BLOCKS, next_packed,
		 &j, &err)) == NULL ||
	    (ask->shards != NULL &&
		(j.shards.flow = k3_flow_open(ask->io, BLOCK, BLOCKS,
		     next_shards, &j, &err)) == NULL))
		verify_die(v, &err);
	if ((j.shards.flow != NULL && k3_flow_fill(j.shards.flow, &err) != 0) ||
	    walk(&j, &err) != 0)
		verify_found(v, &err);
	k3_flow_close(j.packed.flow);
	k3_flow_close(j.shards.flow);
	k3_digest_close(j.digest);
}
