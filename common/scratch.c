/*
 * scratch.c - memory for the activations of one pass
 */
#include <assert.h>

#include "common/attend.h"
#include "common/scratch.h"

#define UNIT 64

/* Each piece is rounded up to a unit; no sub-layer takes more pieces. */
#define PIECES 32

static uint64_t
rounded(uint64_t bytes)
{
	return (bytes + UNIT - 1) / UNIT * UNIT;
}

static void *
take(struct k3_scratch *s, uint64_t bytes)
{
	void *p = s->base + s->used;

	s->used += rounded(bytes);
	assert(s->used <= s->size);
	return p;
}

float *
k3_scratch_floats(struct k3_scratch *s, size_t n)
{
	return take(s, n * sizeof(float));
}

uint32_t *
k3_scratch_words(struct k3_scratch *s, size_t n)
{
	return take(s, n * sizeof(uint32_t));
}

/* In floats: what a token takes, plus what does not grow with them. */
struct need {
	uint64_t token, fixed;
};

/* q, k, v, gate, decay; f_a, beta; widened vectors, the tail. */
static struct need
kda(const struct k3_cfg *c)
{
	uint64_t p = c->kda_width;
	struct need n = { 5 * p + c->kda_dim + c->kda_heads,
		(6 * K3_CONV_TAPS - 3) * p + p + 2 * (uint64_t)c->kda_dim };

	return n;
}

/* q_a, q, latent, gate, o; vectors; what a thread attends in. */
static struct need
mla(const struct k3_cfg *c, unsigned threads)
{
	uint64_t heads = c->heads, width = c->kv_lora + c->rope;
	struct need n = { c->q_lora + heads * (c->nope + c->rope) + width +
			      2 * heads * c->v_dim,
		c->q_lora + c->kv_lora +
		    threads * (uint64_t)K3_ATTEND_QUERIES *
			(width + c->kv_lora + K3_ATTEND + 2) };

	return n;
}

static struct need
dense(const struct k3_cfg *c)
{
	struct need n = { 2 * (uint64_t)c->dense, 0 };

	return n;
}

/*
 * Scores, latent, result, its up-projection; shared gate and up; the picks
 * and their weights, twice; an expert's tokens, gate, up, out.
 */
static struct need
moe(const struct k3_cfg *c)
{
	uint64_t shared = (uint64_t)c->shared * c->moe;
	struct need n = { c->experts + 4 * (uint64_t)c->latent + c->hidden +
			      2 * shared + 4 * (uint64_t)c->topk +
			      2 * (uint64_t)c->moe,
		5 * (uint64_t)c->experts + c->latent };

	return n;
}

uint64_t
k3_scratch_bytes(const struct k3_cfg *cfg, uint64_t n, unsigned threads)
{
	struct need need[] = { kda(cfg), mla(cfg, threads), dense(cfg),
		moe(cfg) };
	uint64_t most = 0;

	for (size_t i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		uint64_t floats = need[i].token * n + need[i].fixed;

		most = floats > most ? floats : most;
	}
	/* attnres: its two vectors, a key and scores for each thread. */
	most +=
	    3 * (uint64_t)cfg->hidden +
	    threads *
		(cfg->hidden +
		    rounded((uint64_t)4 * (k3_snapshots(cfg) + 1)) / 4 + UNIT);
	return most * sizeof(float) + (uint64_t)UNIT * PIECES;
}

uint32_t
k3_snapshots(const struct k3_cfg *cfg)
{
	return k3_snapshots_after(cfg, 2 * cfg->nlayer);
}

/* The attention of a block's first layer pushes one. */
uint32_t
k3_snapshots_after(const struct k3_cfg *cfg, unsigned half)
{
	return ((half + 1) / 2 + cfg->res_block - 1) / cfg->res_block;
}

/* p, y, the sub-layer's result; and the snapshots. */
uint64_t
k3_pass_bytes(const struct k3_cfg *cfg, uint64_t n)
{
	uint64_t rows = 3 + k3_snapshots(cfg);

	return rows * rounded(n * cfg->hidden * sizeof(float));
}
