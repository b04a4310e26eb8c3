/*
 * session-read.c - sessions, read and checked
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sessionimpl.h"

struct k3_session_file {
	struct k3_layer *l;
	const struct k3_cfg *cfg;
	struct k3_session s;
};

static int
refuse(const struct k3_layer *l, const char *why, struct k3_err *err)
{
	return k3_fail(err, EX_DATAERR, "'%s': %s", l->path, why);
}

static int
refuse_tensor(const struct k3_layer *l, const struct k3_layer_tensor *t,
    const char *why, struct k3_err *err)
{
	return k3_fail(err, EX_DATAERR, "'%s' tensor %s: %s", l->path, t->name,
	    why);
}

/* A whole tensor, as the trailer has it. */
static int
get(const struct k3_layer *l, const struct k3_layer_tensor *t, void *buf,
    struct k3_err *err)
{
	if (k3_layer_read(l, t, 0, buf, t->len, err) != 0)
		return -1;
	return k3_layer_check_tensor(l, t, buf, err);
}

static int
get_floats(const struct k3_layer *l, const struct k3_layer_tensor *t, float *x,
    struct k3_err *err)
{
	if (get(l, t, x, err) != 0)
		return -1;
	for (uint64_t i = 0; i < t->len / sizeof(*x); i++)
		if (!isfinite(x[i]))
			return k3_fail(err, EX_DATAERR,
			    "'%s' tensor %s: number %" PRIu64 " is not finite",
			    l->path, t->name, i);
	return 0;
}

static void
describe(const struct k3_layer_tensor *t, char *text, size_t size)
{
	static const char *const dtype[K3_NDTYPE] = { "F32", "BF16", "U8",
		"U32" };
	size_t n;

	n = (size_t)snprintf(text, size, "%s", dtype[t->dtype]);
	for (unsigned i = 0; i < t->ndim; i++)
		n += i == 0 && t->grows
			 ? (size_t)snprintf(text + n, size - n, "[rows]")
			 : (size_t)snprintf(text + n, size - n, "[%" PRIu64 "]",
			       t->dim[i]);
}

static int
same_tensor(const struct k3_layer *l, const struct k3_layer_tensor *t,
    const struct k3_layer_tensor *want, struct k3_err *err)
{
	bool same = t->dtype == want->dtype && t->grows == want->grows &&
		    t->ndim == want->ndim;
	char is[128], due[128];

	if (strcmp(t->name, want->name) != 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s': tensor %s where %s should be", l->path, t->name,
		    want->name);
	for (unsigned i = t->grows ? 1 : 0; same && i < t->ndim; i++)
		same = t->dim[i] == want->dim[i];
	if (same)
		return 0;
	describe(t, is, sizeof(is));
	describe(want, due, sizeof(due));
	return k3_fail(err, EX_DATAERR, "'%s' tensor %s: %s instead of %s",
	    l->path, t->name, is, due);
}

/* All that is in the head, but for what numbers say. */
static int
check_head(const struct k3_session_file *f, const uint8_t *print,
    struct k3_err *err)
{
	const struct k3_layer *l = f->l;

	if (l->kind != K3_LAYER_SESSION)
		return k3_fail(err, EX_DATAERR,
		    "'%s': kind %d (%s) instead of a session", l->path,
		    (int)l->kind, k3_layer_kind_name(l->kind));
	if (memcmp(l->fingerprint, print, K3_DIGEST128) != 0)
		return refuse(l, "it is a session of another model", err);
	if (l->layer != 0)
		return refuse(l, "a session belongs to no layer", err);
	if (l->ntensor != k3_session_ntensor(f->cfg))
		return k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu32 " tensors instead of %" PRIu32, l->path,
		    l->ntensor, k3_session_ntensor(f->cfg));
	if (l->block_rows != k3_session_block(f->cfg))
		return k3_fail(err, EX_DATAERR,
		    "'%s': blocks of %" PRIu32 " rows instead of %" PRIu32,
		    l->path, l->block_rows, k3_session_block(f->cfg));
	return 0;
}

/* What all other sizes follow from. */
static int
get_numbers(struct k3_session_file *f, struct k3_err *err)
{
	const struct k3_layer_tensor *t = &f->l->tensor[K3_SESSION_NUMBERS];
	uint32_t number[K3_SESSION_NNUMBER];
	struct k3_layer_tensor *want = calloc(f->l->ntensor, sizeof(*want));
	const char *why;
	int bad = -1;

	if (want == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate a session: out of memory");
	k3_session_table(f->cfg, &f->s, want);
	if (same_tensor(f->l, t, want, err) != 0 ||
	    get(f->l, t, number, err) != 0)
		goto out;
	why = k3_session_get_numbers(f->cfg, number, &f->s);
	if (why != NULL) {
		refuse_tensor(f->l, t, why, err);
		goto out;
	}
	k3_session_table(f->cfg, &f->s, want);
	bad = 0;
	for (uint32_t i = 0; bad == 0 && i < f->l->ntensor; i++)
		bad = same_tensor(f->l, &f->l->tensor[i], &want[i], err);
	if (bad == 0 && f->l->block_rows > 0 &&
	    f->l->rows != (uint64_t)f->s.position + f->s.rows)
		bad = k3_fail(err, EX_DATAERR,
		    "'%s': %" PRIu64 " rows of latents for %" PRIu32
		    " positions",
		    f->l->path, f->l->rows, f->s.position + f->s.rows);
out:
	free(want);
	return bad;
}

/* Other ways to choose than the greedy one may come to be. */
static int
get_sampler(const struct k3_session_file *f, struct k3_err *err)
{
	const struct k3_layer_tensor *t = &f->l->tensor[K3_SESSION_SAMPLER];
	uint32_t sampler[K3_SESSION_NSAMPLER];

	if (get(f->l, t, sampler, err) != 0)
		return -1;
	if (sampler[0] != 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor %s: %" PRIu32 " is no way to choose that is "
		    "known here",
		    f->l->path, t->name, sampler[0]);
	return 0;
}

struct k3_session_file *
k3_session_open(const char *path, const struct k3_cfg *cfg,
    const uint8_t print[K3_DIGEST128], struct k3_session *s, struct k3_err *err)
{
	struct k3_session_file *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate a session: out of memory");
		return NULL;
	}
	f->cfg = cfg;
	if ((f->l = k3_layer_open(path, err)) != NULL &&
	    check_head(f, print, err) == 0 && get_numbers(f, err) == 0 &&
	    get_sampler(f, err) == 0) {
		*s = f->s;
		return f;
	}
	k3_session_close(f);
	return NULL;
}

void
k3_session_close(struct k3_session_file *f)
{
	if (f == NULL)
		return;
	k3_layer_close(f->l);
	free(f);
}

int
k3_session_get_ids(struct k3_session_file *f, uint32_t *ids, struct k3_err *err)
{
	const struct k3_layer_tensor *t = &f->l->tensor[K3_SESSION_IDS];

	if (get(f->l, t, ids, err) != 0)
		return -1;
	for (uint32_t i = 0; i < f->s.n; i++)
		if (ids[i] >= f->cfg->vocab)
			return k3_fail(err, EX_DATAERR,
			    "'%s' tensor %s: ID %" PRIu32
			    " is not below %" PRIu32,
			    f->l->path, t->name, ids[i], f->cfg->vocab);
	return 0;
}

/* Rows that the pass in work has not come to are zero. */
static int
get_latents(const struct k3_session_file *f, unsigned layer,
    const struct k3_layer_tensor *t, float *x, struct k3_err *err)
{
	uint64_t width = t->dim[1], n = t->dim[0] * width;
	uint64_t i = (uint64_t)f->s.position * width;

	if (get_floats(f->l, t, x, err) != 0)
		return -1;
	if (k3_session_passed(&f->s, layer))
		return 0;
	while (i < n && x[i] == 0)
		i++;
	return i == n
		   ? 0
		   : refuse_tensor(f->l, t,
			 "not zero where the pass in work has not been", err);
}

int
k3_session_get_state(struct k3_session_file *f, struct k3_state *state,
    struct k3_err *err)
{
	const struct k3_layer_tensor *t = &f->l->tensor[K3_SESSION_LAYERS];
	uint32_t need = f->s.position + f->s.rows;

	if (state->context < need)
		return k3_fail(err, EX_UNAVAILABLE,
		    "'%s': %" PRIu32 " positions are more than the planned "
		    "context of %" PRIu32 " (--context)",
		    f->l->path, need, state->context);
	for (unsigned i = 0; i < f->cfg->nlayer; i++) {
		if (f->cfg->mla[i]) {
			if (get_latents(f, i, t++, k3_state_latents(state, i),
				err) != 0)
				return -1;
			continue;
		}
		if (get_floats(f->l, t++, k3_state_kda(state, i), err) != 0 ||
		    get_floats(f->l, t++, k3_state_conv(state, i), err) != 0)
			return -1;
	}
	state->pos = f->s.position;
	return 0;
}

/* Each snapshot has its own memory, the tensor one digest. */
static int
get_snapshots(const struct k3_session_file *f, const struct k3_held *held,
    struct k3_err *err)
{
	const struct k3_layer_tensor *t = &f->l->tensor[K3_SESSION_SNAPSHOTS];
	uint64_t n = t->dim[1] * t->dim[2], len = n * sizeof(float), got;
	struct k3_digest *d = k3_digest_open(K3_DIGEST_64, err);
	int bad = d == NULL ? -1 : 0;

	for (uint64_t i = 0; bad == 0 && i < t->dim[0]; i++) {
		bad = k3_layer_read(f->l, t, i * len, held->snap[i], len, err);
		if (bad == 0)
			k3_digest_add(d, held->snap[i], len);
		for (uint64_t k = 0; bad == 0 && k < n; k++)
			if (!isfinite(held->snap[i][k]))
				bad = refuse_tensor(f->l, t,
				    "a number that is not finite", err);
	}
	got = bad == 0 ? k3_digest_get64(d) : t->digest;
	k3_digest_close(d);
	if (got != t->digest)
		return k3_fail(err, EX_DATAERR,
		    "'%s' tensor %s: digest is %016" PRIx64
		    ", but the trailer has %016" PRIx64,
		    f->l->path, t->name, got, t->digest);
	return bad;
}

int
k3_session_get_pass(struct k3_session_file *f, const struct k3_held *held,
    struct k3_err *err)
{
	const struct k3_layer_tensor *t = &f->l->tensor[K3_SESSION_PREFIX];

	if (get_floats(f->l, t, held->prefix, err) != 0)
		return -1;
	return get_snapshots(f, held, err);
}

int
k3_session_get_logits(struct k3_session_file *f, float *logits,
    struct k3_err *err)
{
	return get_floats(f->l, &f->l->tensor[K3_SESSION_LOGITS], logits, err);
}
