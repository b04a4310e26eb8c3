/*
 * session-write.c - sessions, written straight from the states
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/sessionimpl.h"

static int
put_floats(struct k3_layer_writer *w, const float *x, uint64_t n,
    struct k3_err *err)
{
	return n == 0 ? 0 : k3_layer_put(w, x, n * sizeof(*x), err);
}

/* All that does not grow, in the order of the table. */
static int
put_fixed(struct k3_layer_writer *w, const struct k3_session *s,
    const struct k3_session_parts *p, struct k3_err *err)
{
	static const uint32_t greedy[K3_SESSION_NSAMPLER];
	const struct k3_cfg *cfg = p->cfg;
	uint32_t number[K3_SESSION_NNUMBER];
	uint64_t rows = (uint64_t)s->rows * cfg->hidden;
	uint64_t width = cfg->kda_width;
	uint64_t past = (uint64_t)3 * (K3_CONV_TAPS - 1);
	bool chosen = s->position < s->n || s->n == 0;

	k3_session_put_numbers(s, number);
	if (k3_layer_put(w, number, sizeof(number), err) != 0 ||
	    k3_layer_put(w, greedy, sizeof(greedy), err) != 0 ||
	    k3_layer_put(w, p->ids, s->n * sizeof(*p->ids), err) != 0 ||
	    (!chosen && put_floats(w, p->logits, cfg->vocab, err) != 0))
		return -1;
	if (rows > 0 && put_floats(w, p->held->prefix, rows, err) != 0)
		return -1;
	for (unsigned i = 0; rows > 0 && i < p->held->nsnap; i++)
		if (put_floats(w, p->held->snap[i], rows, err) != 0)
			return -1;
	for (unsigned i = 0; i < cfg->nlayer; i++)
		if (!cfg->mla[i] &&
		    (put_floats(w, k3_state_kda(p->state, i),
			 width * cfg->kda_dim, err) != 0 ||
			put_floats(w, k3_state_conv(p->state, i), past * width,
			    err) != 0))
			return -1;
	return 0;
}

/*
 * The latents of all positions: those consumed at once, then the rows of the
 * pass in work one by one.  Where that has not come to they are zero, whatever
 * stands there from sequences before.
 */
static int
put_rows(struct k3_layer_writer *w, const struct k3_session *s,
    const struct k3_session_parts *p, const void **row, const float *zero,
    struct k3_err *err)
{
	const struct k3_cfg *cfg = p->cfg;
	size_t width = cfg->kv_lora + cfg->rope, n;

	for (size_t pos = 0; pos < s->position + s->rows; pos += n) {
		bool past = pos < s->position;
		unsigned k = 0;

		n = past ? s->position - pos : 1;
		for (unsigned i = 0; i < cfg->nlayer; i++)
			if (cfg->mla[i])
				row[k++] = past || k3_session_passed(s, i)
					       ? k3_state_latents(p->state, i) +
						     pos * width
					       : zero;
		if (k > 0 && k3_layer_put_rows(w, row, n, err) != 0)
			return -1;
	}
	return 0;
}

static int
put_latents(struct k3_layer_writer *w, const struct k3_session *s,
    const struct k3_session_parts *p, struct k3_err *err)
{
	const void **row = calloc(p->cfg->nlayer, sizeof(*row));
	float *zero = calloc(p->cfg->kv_lora + p->cfg->rope, sizeof(*zero));
	int bad;

	bad = row != NULL && zero != NULL
		  ? put_rows(w, s, p, row, zero, err)
		  : k3_fail(err, EX_OSERR,
			"cannot allocate a session: out of memory");
	free(zero);
	free(row);
	return bad;
}

static int
put(const struct k3_file *file, const struct k3_session *s,
    const struct k3_session_parts *p, struct k3_err *err)
{
	struct k3_layer l = { .kind = K3_LAYER_SESSION,
		.ntensor = k3_session_ntensor(p->cfg),
		.block_rows = k3_session_block(p->cfg) };
	struct k3_layer_writer *w = NULL;
	int bad = -1;

	memcpy(l.fingerprint, p->print, K3_DIGEST128);
	l.tensor = calloc(l.ntensor, sizeof(*l.tensor));
	if (l.tensor == NULL) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate a session: out of memory");
	} else {
		k3_session_table(p->cfg, s, l.tensor);
		w = k3_layer_begin(&l, file->fp, file->path, err);
	}
	if (w != NULL && put_fixed(w, s, p, err) == 0 &&
	    put_latents(w, s, p, err) == 0)
		bad = k3_layer_end(w, err);
	k3_layer_writer_close(w);
	free(l.tensor);
	return bad;
}

int
k3_session_save(const char *path, const struct k3_session *s,
    const struct k3_session_parts *parts, uint64_t *bytes, struct k3_err *err)
{
	struct k3_file file;
	long end;

	assert(s->position == parts->state->pos);
	if (k3_file_create(&file, path, K3_FILE_PRIVATE, err) != 0)
		return -1;
	if (put(&file, s, parts, err) != 0) {
		k3_file_abort(&file);
		return -1;
	}
	end = ftell(file.fp);
	if (bytes != NULL)
		*bytes = end > 0 ? (uint64_t)end : 0;
	return k3_file_commit(&file, err);
}
