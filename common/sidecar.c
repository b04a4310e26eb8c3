/*
 * sidecar.c - digests of tensors, experts and rows: what is known of each
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/sidecarimpl.h"

/* Entries of a layer that have a number and no name, and are its last. */
static uint64_t
numbered(const struct k3_cfg *cfg, unsigned layer)
{
	if (layer == cfg->nlayer)
		return cfg->vocab;
	return layer >= cfg->ndense ? cfg->experts : 0;
}

/* Is this an entry by name? */
static bool
is_named(const struct k3_sidecar *s, unsigned layer, unsigned t)
{
	struct k3_shape shape;

	return t != K3_T_EMBED &&
	       k3_tensor_shape(s->cfg, layer, (enum k3_tensor)t, &shape);
}

/* Entries of the layers before each, and of all. */
static int
number(struct k3_sidecar *s)
{
	const struct k3_cfg *cfg = s->cfg;
	uint64_t n = 0;

	s->first = calloc((size_t)cfg->nlayer + 2, sizeof(*s->first));
	if (s->first == NULL)
		return -1;
	for (unsigned layer = 0; layer <= cfg->nlayer; layer++) {
		s->first[layer] = n;
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			n += is_named(s, layer, t);
		n += numbered(cfg, layer);
	}
	s->first[cfg->nlayer + 1] = s->n = n;
	return n > UINT32_MAX ? -1 : 0;
}

struct k3_sidecar *
k3_sidecar_open(const struct k3_cfg *cfg,
    const uint8_t fingerprint[K3_DIGEST128], struct k3_err *err)
{
	struct k3_sidecar *s = calloc(1, sizeof(*s));

	if (s != NULL) {
		s->cfg = cfg;
		memcpy(s->fingerprint, fingerprint, K3_DIGEST128);
		s->path = strdup(K3_SIDECAR_NAME);
	}
	if (s == NULL || s->path == NULL || number(s) != 0 ||
	    (s->digest = calloc(s->n, sizeof(*s->digest))) == NULL ||
	    (s->state = calloc(s->n, sizeof(*s->state))) == NULL) {
		k3_sidecar_close(s);
		k3_fail(err, EX_OSERR,
		    "cannot allocate 'digests': out of memory");
		return NULL;
	}
	s->piece = k3_digest_open(K3_DIGEST_64, err);
	if (s->piece != NULL)
		return s;
	k3_sidecar_close(s);
	return NULL;
}

void
k3_sidecar_close(struct k3_sidecar *s)
{
	if (s == NULL)
		return;
	k3_digest_close(s->piece);
	free(s->path);
	free(s->first);
	free(s->digest);
	free(s->state);
	free(s);
}

uint64_t
k3_sidecar_memory(const struct k3_sidecar *s)
{
	return s->n * (sizeof(*s->digest) + sizeof(*s->state)) +
	       (s->cfg->nlayer + 2) * sizeof(*s->first);
}

uint64_t
k3_sidecar_count(const struct k3_sidecar *s)
{
	return s->n;
}

struct k3_sidecar_entry
k3_sidecar_at(const struct k3_sidecar *s, uint64_t i)
{
	struct k3_sidecar_entry e = { .t = 0 };
	unsigned past = s->cfg->nlayer + 1;
	uint64_t named;

	while (past - e.layer > 1) {
		unsigned mid = (e.layer + past) / 2;

		*(s->first[mid] <= i ? &e.layer : &past) = mid;
	}
	named = s->first[e.layer + 1] - numbered(s->cfg, e.layer);
	if (i >= named) {
		e.t = e.layer == s->cfg->nlayer ? K3_T_EMBED : K3_NTENSOR;
		e.number = (unsigned)(i - named);
		return e;
	}
	i -= s->first[e.layer];
	while (!is_named(s, e.layer, e.t) || i-- > 0)
		e.t++;
	return e;
}

uint64_t
k3_sidecar_tensor(const struct k3_sidecar *s, unsigned layer, enum k3_tensor t)
{
	uint64_t i = s->first[layer];

	for (unsigned k = 0; k < t; k++)
		i += is_named(s, layer, k);
	return i;
}

uint64_t
k3_sidecar_expert(const struct k3_sidecar *s, unsigned layer, unsigned expert)
{
	return s->first[layer + 1] - s->cfg->experts + expert;
}

uint64_t
k3_sidecar_row(const struct k3_sidecar *s, uint32_t id)
{
	return s->n - s->cfg->vocab + id;
}

bool
k3_sidecar_has(const struct k3_sidecar *s, uint64_t i)
{
	return s->state[i] != 0;
}

bool
k3_sidecar_checked(const struct k3_sidecar *s, uint64_t i)
{
	return s->state[i] == K3_SIDECAR_CHECKED;
}

void
k3_sidecar_set(struct k3_sidecar *s, uint64_t i, uint64_t digest)
{
	s->digest[i] = digest;
	s->state[i] = K3_SIDECAR_THERE;
}

int
k3_sidecar_compare(const struct k3_sidecar *s, uint64_t i, uint64_t digest,
    const struct k3_st *st, struct k3_err *err)
{
	struct k3_sidecar_entry e;
	char what[K3_NAME_MAX + 32] = "tensor ";
	struct k3_loc loc[K3_NPART];
	size_t len = strlen(what);

	if (digest == s->digest[i])
		return 0;
	e = k3_sidecar_at(s, i);
	k3_sidecar_places(s, st, i, loc);
	if (e.t == K3_NTENSOR)
		snprintf(what, sizeof(what), "layer %u expert %u", e.layer,
		    e.number);
	else
		len += k3_tensor_name(e.layer, (enum k3_tensor)e.t, what + len);
	if (e.t == K3_T_EMBED)
		snprintf(what + len, sizeof(what) - len, " row %u", e.number);
	return k3_fail(err, EX_DATAERR,
	    "'%s' %s: digest is %016" PRIx64 ", but '%s' has %016" PRIx64,
	    k3_st_path(st, loc[0].file), what, digest, s->path, s->digest[i]);
}

static int
check(struct k3_sidecar *s, const struct k3_st *st, uint64_t i, uint64_t digest,
    struct k3_err *err)
{
	if (k3_sidecar_compare(s, i, digest, st, err) != 0)
		return -1;
	s->state[i] = K3_SIDECAR_CHECKED;
	return 0;
}

int
k3_sidecar_check_tensor(struct k3_sidecar *s, const struct k3_st *st,
    unsigned layer, enum k3_tensor t, const void *data, struct k3_err *err)
{
	uint64_t i = k3_sidecar_tensor(s, layer, t);

	if (s->state[i] == K3_SIDECAR_CHECKED)
		return 0;
	return check(s, st, i,
	    k3_digest64(data, k3_st_tensor(st, layer, t).len), err);
}

int
k3_sidecar_check_expert(struct k3_sidecar *s, const struct k3_st *st,
    unsigned layer, unsigned expert, uint8_t *const part[K3_NPART],
    struct k3_err *err)
{
	uint64_t i = k3_sidecar_expert(s, layer, expert);
	uint64_t len[K3_NPART], all = 0;
	bool whole = true;

	if (s->state[i] == K3_SIDECAR_CHECKED)
		return 0;
	for (unsigned p = 0; p < K3_NPART; p++) {
		whole = whole && part[p] == part[0] + all;
		len[p] = k3_st_part(st, layer, expert, (enum k3_part)p).len;
		all += len[p];
	}
	if (whole)
		return check(s, st, i, k3_digest64(part[0], all), err);
	s->next = 0;
	k3_digest_reset(s->piece);
	for (unsigned p = 0; p < K3_NPART; p++)
		k3_digest_add(s->piece, part[p], len[p]);
	return check(s, st, i, k3_digest_get64(s->piece), err);
}

int
k3_sidecar_check_row(struct k3_sidecar *s, const struct k3_st *st, uint32_t id,
    const void *data, struct k3_err *err)
{
	uint64_t i = k3_sidecar_row(s, id);
	uint64_t all = k3_st_tensor(st, s->cfg->nlayer, K3_T_EMBED).len;

	if (s->state[i] == K3_SIDECAR_CHECKED)
		return 0;
	return check(s, st, i, k3_digest64(data, all / s->cfg->vocab), err);
}

int
k3_sidecar_check_piece(struct k3_sidecar *s, const struct k3_st *st,
    unsigned layer, enum k3_tensor t, uint64_t off, const void *data,
    uint64_t len, struct k3_err *err)
{
	uint64_t i = k3_sidecar_tensor(s, layer, t);

	if (s->state[i] == K3_SIDECAR_CHECKED)
		return 0;
	if (off == 0) {
		k3_digest_reset(s->piece);
		s->next = 0;
		s->of = i;
	}
	if (s->of != i || s->next != off)
		return 0;
	k3_digest_add(s->piece, data, len);
	s->next += len;
	if (s->next < k3_st_tensor(st, layer, t).len)
		return 0;
	return check(s, st, i, k3_digest_get64(s->piece), err);
}

unsigned
k3_sidecar_places(const struct k3_sidecar *s, const struct k3_st *st,
    uint64_t i, struct k3_loc loc[K3_NPART])
{
	struct k3_sidecar_entry e = k3_sidecar_at(s, i);
	unsigned n = 0;

	if (e.t < K3_NTENSOR) {
		loc[0] = k3_st_tensor(st, e.layer, (enum k3_tensor)e.t);
		if (e.t == K3_T_EMBED) {
			loc[0].len /= s->cfg->vocab;
			loc[0].off += e.number * loc[0].len;
		}
		return 1;
	}
	for (unsigned p = 0; p < K3_NPART; p++) {
		struct k3_loc next =
		    k3_st_part(st, e.layer, e.number, (enum k3_part)p);

		if (n > 0 && next.file == loc[n - 1].file &&
		    next.off == loc[n - 1].off + loc[n - 1].len)
			loc[n - 1].len += next.len;
		else
			loc[n++] = next;
	}
	return n;
}

struct place {
	uint64_t key; /* file and 48 bits of offset */
	uint32_t i;
};

static int
by_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

int
k3_sidecar_by_place(const struct k3_sidecar *s, const struct k3_st *st,
    uint32_t *order, struct k3_err *err)
{
	struct place *place = calloc(s->n, sizeof(*place));
	struct k3_loc loc[K3_NPART];

	if (place == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'digests': out of memory");
	for (uint32_t i = 0; i < s->n; i++) {
		k3_sidecar_places(s, st, i, loc);
		place[i].key = (uint64_t)loc[0].file << 48 | loc[0].off;
		place[i].i = i;
	}
	qsort(place, s->n, sizeof(*place), by_key);
	for (uint64_t i = 0; i < s->n; i++)
		order[i] = place[i].i;
	free(place);
	return 0;
}
