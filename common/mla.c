/*
 * mla.c - multi-head latent attention, absorbed
 */
#include <math.h>
#include <string.h>

#include "common/attend.h"
#include "common/linear.h"
#include "common/mla.h"
#include "common/norm.h"

/* The released code's epsilon for the two low-rank norms. */
#define LORA_EPS 1e-6f

struct job {
	struct k3_pass *pass;
	struct k3_weight kv_b; /* per head: nope rows for k, v_dim for v */
	const float *q;        /* [rows][head][nope + rope] */
	float *o;              /* [rows][head][v_dim] */
	float *query;          /* [thread][latent, then extra dims] */
	float *acc;            /* [thread][kv_lora] */
	float *score;          /* [thread][K3_ATTEND] */
};

/* A product with rows of kv_b, of the variant for its type. */
static void
product(const struct job *job, bool transposed, size_t row, size_t rows,
    const float *x, float *y)
{
	const struct k3_kern *kern = job->pass->kern;
	bool f32 = job->kv_b.dtype == K3_F32;
	size_t stride = job->kv_b.n * k3_dtype_size(job->kv_b.dtype);
	struct k3_mul m = { .w = job->kv_b.p + row * stride,
		.stride = stride,
		.rows = rows,
		.n = job->kv_b.n,
		.x = x,
		.tokens = 1,
		.y = y };

	if (transposed)
		(f32 ? kern->tmul_f32 : kern->tmul_bf16)(&m);
	else
		(f32 ? kern->mul_f32 : kern->mul_bf16)(&m);
}

/* One head of one row, which is position 'pos' of a sequence. */
static void
attend(const struct job *job, const float *latents, size_t pos, size_t row,
    size_t head, unsigned thread)
{
	const struct k3_cfg *c = job->pass->cfg;
	size_t lora = c->kv_lora, width = lora + c->rope;
	size_t qdim = c->nope + c->rope, kv_row = head * (c->nope + c->v_dim);
	const float *q = job->q + (row * c->heads + head) * qdim;
	float *query = job->query + thread * width;
	float *acc = job->acc + thread * lora;
	float m, sum;
	struct k3_attend a = { .latents = latents,
		.width = width,
		.nvalue = lora,
		.scale = 1.0f / sqrtf((float)qdim),
		.pos = pos,
		.tokens = 1,
		.heads = 1,
		.query = query,
		.out = acc,
		.score = job->score + (size_t)thread * K3_ATTEND,
		.m = &m,
		.sum = &sum };

	memset(query, 0, lora * sizeof(float));
	product(job, true, kv_row, c->nope, q, query);
	memcpy(query + lora, q + c->nope, c->rope * sizeof(float));
	k3_attend(job->pass->kern, &a);
	product(job, false, kv_row + c->nope, c->v_dim, acc,
	    job->o + (row * c->heads + head) * c->v_dim);
}

/*
 * Items are rows of heads, head by head, so that a head's part of kv_b is read
 * once for all of a thread's rows.
 */
static void
work(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct job *job = arg;
	struct k3_pass *pass = job->pass;
	size_t row = 0;

	for (size_t h = begin / pass->rows; h * pass->rows < end; h++, row = 0)
		for (size_t i = 0; i < pass->nspan; i++) {
			const struct k3_span *span = &pass->span[i];
			const float *latents =
			    k3_state_latents(span->state, pass->layer);

			for (size_t t = 0; t < span->n; t++, row++) {
				size_t item = h * pass->rows + row;

				if (item >= begin && item < end)
					attend(job, latents,
					    span->state->pos + t, row, h,
					    thread);
			}
		}
}

/* Norm the latents of new positions and put them, with the extra dims, away. */
static int
store(struct k3_pass *pass, const float *kv, struct k3_err *err)
{
	size_t lora = pass->cfg->kv_lora, width = lora + pass->cfg->rope;
	const float *norm = k3_vector(pass, K3_T_KV_A_NORM, err);

	if (norm == NULL)
		return -1;
	for (size_t i = 0; i < pass->nspan; i++) {
		const struct k3_span *span = &pass->span[i];
		float *dst = k3_state_latents(span->state, pass->layer) +
			     span->state->pos * width;

		for (size_t t = 0; t < span->n; t++) {
			k3_rms(pass->kern, dst, kv, norm, lora, LORA_EPS);
			memcpy(dst + lora, kv + lora,
			    pass->cfg->rope * sizeof(float));
			dst += width;
			kv += width;
		}
	}
	return 0;
}

/* A head's query and values go through kv_b, and it sees all positions. */
static size_t
grain(const struct k3_pass *pass)
{
	const struct k3_cfg *c = pass->cfg;
	size_t most = 0;

	for (size_t i = 0; i < pass->nspan; i++)
		if (pass->span[i].state->pos > most)
			most = pass->span[i].state->pos;
	return k3_par_grain(
	    ((size_t)c->nope + c->v_dim + 2 * most) * c->kv_lora);
}

int
k3_mla(struct k3_pass *pass, const float *x, float *out, struct k3_err *err)
{
	const struct k3_cfg *c = pass->cfg;
	uint64_t mark = pass->scratch.used;
	struct k3_scratch *s = &pass->scratch;
	size_t n = pass->rows, width = c->kv_lora + c->rope;
	size_t value = (size_t)c->heads * c->v_dim;
	float *qa = k3_scratch_floats(s, n * c->q_lora);
	float *q = k3_scratch_floats(s, n * c->heads * (c->nope + c->rope));
	float *kv = k3_scratch_floats(s, n * width);
	float *gate = k3_scratch_floats(s, n * value);
	struct job job = { .pass = pass, .q = q };
	const float *norm;

	job.o = k3_scratch_floats(s, n * value);
	job.query = k3_scratch_floats(s, pass->par.threads * width);
	job.acc = k3_scratch_floats(s, pass->par.threads * (size_t)c->kv_lora);
	job.score = k3_scratch_floats(s, (size_t)pass->par.threads * K3_ATTEND);
	if (k3_linear(pass, K3_T_Q_A, x, qa, n, err) != 0 ||
	    (norm = k3_vector(pass, K3_T_Q_A_NORM, err)) == NULL)
		return -1;
	k3_rms_rows(pass->kern, qa, qa, norm, n, c->q_lora, LORA_EPS);
	if (k3_linear(pass, K3_T_Q_B, qa, q, n, err) != 0 ||
	    k3_linear(pass, K3_T_KV_A, x, kv, n, err) != 0 ||
	    store(pass, kv, err) != 0 ||
	    k3_trunk_need(pass->trunk, K3_T_KV_B, &job.kv_b, err) != 0)
		return -1;
	k3_par_run(&pass->par, n * c->heads, grain(pass), work, &job);
	if (k3_linear(pass, K3_T_G, x, gate, n, err) != 0)
		return -1;
	pass->kern->gate(job.o, gate, n * value);
	if (k3_linear(pass, K3_T_O, job.o, out, n, err) != 0)
		return -1;
	pass->scratch.used = mark;
	return 0;
}
