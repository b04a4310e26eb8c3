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

/* Tokens whose queries and results go through a head's rows of kv_b at once. */
#define TOKENS 16

struct job {
	struct k3_pass *pass;
	struct k3_weight kv_b; /* per head: nope rows for k, v_dim for v */
	const float *q;        /* [rows][head][nope + rope] */
	float *o;              /* [rows][head][v_dim] */
	const float *gate;     /* [rows][head][v_dim] */
	float *room;           /* [thread]: as much as room() says */
};

/* Heads and rows, each from a first one to before the last. */
struct part {
	size_t head, heads_end, row, rows_end;
};

/* Floats that a thread works in: queries, results, scores, maxima, sums. */
static size_t
room(const struct k3_cfg *c)
{
	return (size_t)K3_ATTEND_QUERIES *
	       (2 * (size_t)c->kv_lora + c->rope + K3_ATTEND + 2);
}

/* For each row of a part: a product with rows of kv_b, of its type. */
static void
product(const struct job *job, bool transposed, size_t row, struct k3_mul m)
{
	const struct k3_kern *kern = job->pass->kern;
	bool f32 = job->kv_b.dtype == K3_F32;

	m.stride = job->kv_b.n * k3_dtype_size(job->kv_b.dtype);
	m.w = job->kv_b.p + row * m.stride;
	m.n = job->kv_b.n;
	if (transposed)
		(f32 ? kern->tmul_f32 : kern->tmul_bf16)(&m);
	else
		(f32 ? kern->mul_f32 : kern->mul_bf16)(&m);
}

/* The queries of a part, [row][head][width]: k's rows of kv_b into them. */
static void
absorb(const struct job *job, const struct part *p, float *query)
{
	const struct k3_cfg *c = job->pass->cfg;
	size_t lora = c->kv_lora, width = lora + c->rope;
	size_t qdim = c->nope + c->rope, heads = p->heads_end - p->head;
	size_t rows = p->rows_end - p->row;

	memset(query, 0, rows * heads * width * sizeof(float));
	for (size_t h = p->head; h < p->heads_end; h++) {
		const float *q = job->q + (p->row * c->heads + h) * qdim;
		float *y = query + (h - p->head) * width;
		struct k3_mul m = { .rows = c->nope,
			.x = q,
			.tokens = rows,
			.ldx = c->heads * qdim,
			.ldy = heads * width,
			.y = y };

		product(job, true, h * (c->nope + c->v_dim), m);
		for (size_t r = 0; r < rows; r++)
			memcpy(y + r * m.ldy + lora, q + r * m.ldx + c->nope,
			    c->rope * sizeof(float));
	}
}

/* The outputs of a part: v's rows of kv_b act on sums of latents; the gate. */
static void
expand(const struct job *job, const struct part *p, const float *sum)
{
	const struct k3_cfg *c = job->pass->cfg;
	size_t heads = p->heads_end - p->head;

	for (size_t h = p->head; h < p->heads_end; h++) {
		struct k3_mul m = { .rows = c->v_dim,
			.x = sum + (h - p->head) * c->kv_lora,
			.tokens = p->rows_end - p->row,
			.ldx = heads * c->kv_lora,
			.ldy = (size_t)c->heads * c->v_dim,
			.y = job->o + (p->row * c->heads + h) * c->v_dim };

		product(job, false, h * (c->nope + c->v_dim) + c->nope, m);
	}
	for (size_t r = p->row; r < p->rows_end; r++) {
		size_t at = (r * c->heads + p->head) * c->v_dim;

		job->pass->kern->gate(job->o + at, job->gate + at,
		    heads * c->v_dim);
	}
}

/* A part of at most K3_ATTEND_QUERIES; its first row is position 'pos'. */
static void
attend(const struct job *job, const struct part *p, const float *latents,
    size_t pos, unsigned thread)
{
	const struct k3_cfg *c = job->pass->cfg;
	const size_t most = K3_ATTEND_QUERIES;
	size_t lora = c->kv_lora, width = lora + c->rope;
	float *query = job->room + thread * room(c),
	      *out = query + most * width;
	float *score = out + most * lora, *m = score + most * K3_ATTEND;
	struct k3_attend a = { .latents = latents,
		.width = width,
		.nvalue = lora,
		.scale = 1.0f / sqrtf((float)(c->nope + c->rope)),
		.pos = pos,
		.tokens = p->rows_end - p->row,
		.heads = p->heads_end - p->head,
		.query = query,
		.out = out,
		.score = score,
		.m = m,
		.sum = m + most };

	absorb(job, p, query);
	k3_attend(job->pass->kern, &a);
	expand(job, p, out);
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * A part of one span, whose row 'first' is position 'pos': in groups of some
 * tokens, which share the rows of kv_b, and as many heads as there is room for,
 * or if heads are few more tokens.
 */
static void
groups(const struct job *job, const struct part *p, const float *latents,
    size_t first, size_t pos, unsigned thread)
{
	const size_t most = K3_ATTEND_QUERIES;
	size_t rows = least(p->rows_end - p->row, TOKENS);
	size_t heads = least(p->heads_end - p->head, most / rows);
	struct part g = *p;

	rows = least(p->rows_end - p->row, most / heads);
	for (; g.head < p->heads_end; g.head = g.heads_end) {
		g.heads_end = least(g.head + heads, p->heads_end);
		for (g.row = p->row; g.row < p->rows_end; g.row = g.rows_end) {
			g.rows_end = least(g.row + rows, p->rows_end);
			attend(job, &g, latents, pos + g.row - first, thread);
		}
	}
}

static void
spans(const struct job *job, const struct part *p, unsigned thread)
{
	const struct k3_pass *pass = job->pass;
	size_t first = 0, end;

	for (size_t i = 0; i < pass->nspan; i++, first = end) {
		const struct k3_span *span = &pass->span[i];
		struct part part = *p;

		end = first + span->n;
		part.row = p->row > first ? p->row : first;
		part.rows_end = least(p->rows_end, end);
		if (part.row < part.rows_end)
			groups(job, &part,
			    k3_state_latents(span->state, pass->layer), first,
			    span->state->pos, thread);
	}
}

/*
 * Items are rows of heads, head by head, so that threads have enough of them:
 * the end of a head, heads, the begin of another.
 */
static void
work(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct job *job = arg;
	size_t rows = job->pass->rows;

	while (begin < end) {
		size_t head = begin / rows, row = begin % rows;
		struct part p = { head, head + 1, row, rows };

		if (row == 0 && end - begin >= rows)
			p.heads_end = end / rows;
		else
			p.rows_end = least(rows, row + end - begin);
		spans(job, &p, thread);
		begin = (p.heads_end - 1) * rows + p.rows_end;
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

/*
 * A head's query and values go through kv_b, and it sees all positions.  Pieces
 * are whole heads if threads get several.
 */
static size_t
grain(const struct k3_pass *pass)
{
	const struct k3_cfg *c = pass->cfg;
	size_t share = pass->rows * c->heads / pass->par.threads;
	size_t heads = (K3_ATTEND_PIECE + pass->rows - 1) / pass->rows;
	size_t piece = least(share, K3_ATTEND_PIECE), most = 0, enough;

	for (size_t i = 0; i < pass->nspan; i++)
		if (pass->span[i].state->pos > most)
			most = pass->span[i].state->pos;
	enough =
	    k3_par_grain(((size_t)c->nope + c->v_dim + 2 * most) * c->kv_lora);
	if (share >= heads * pass->rows)
		piece = heads * pass->rows;
	return enough > piece ? enough : piece;
}

/* All that is a product of x; q goes through its narrow matrix. */
static int
project(struct k3_pass *pass, const float *x, float *q, float *kv, float *gate,
    struct k3_err *err)
{
	size_t n = pass->rows, lora = pass->cfg->q_lora;
	float *qa = k3_scratch_floats(&pass->scratch, n * lora);
	struct k3_product p[3];
	const float *norm;

	if (k3_product(pass, K3_T_Q_A, x, qa, n, &p[0], err) != 0 ||
	    k3_product(pass, K3_T_KV_A, x, kv, n, &p[1], err) != 0 ||
	    k3_product(pass, K3_T_G, x, gate, n, &p[2], err) != 0 ||
	    k3_products(pass, p, 3, err) != 0 ||
	    (norm = k3_vector(pass, K3_T_Q_A_NORM, err)) == NULL)
		return -1;
	k3_rms_rows(pass->kern, qa, qa, norm, n, lora, LORA_EPS);
	return k3_linear(pass, K3_T_Q_B, qa, q, n, err);
}

int
k3_mla(struct k3_pass *pass, const float *x, float *out, struct k3_err *err)
{
	const struct k3_cfg *c = pass->cfg;
	uint64_t mark = pass->scratch.used;
	struct k3_scratch *s = &pass->scratch;
	size_t n = pass->rows, width = c->kv_lora + c->rope;
	size_t value = (size_t)c->heads * c->v_dim;
	float *q = k3_scratch_floats(s, n * c->heads * (c->nope + c->rope));
	float *kv = k3_scratch_floats(s, n * width);
	float *gate = k3_scratch_floats(s, n * value);
	struct job job = { .pass = pass, .q = q, .gate = gate };

	job.o = k3_scratch_floats(s, n * value);
	job.room = k3_scratch_floats(s, pass->par.threads * room(c));
	if (project(pass, x, q, kv, gate, err) != 0 ||
	    store(pass, kv, err) != 0 ||
	    k3_trunk_need(pass->trunk, K3_T_KV_B, &job.kv_b, err) != 0)
		return -1;
	k3_par_run(&pass->par, n * c->heads, grain(pass), work, &job);
	if (k3_linear(pass, K3_T_O, job.o, out, n, err) != 0)
		return -1;
	pass->scratch.used = mark;
	return 0;
}
