/*
 * state.c - what a sequence remembers
 */
#include <string.h>

#include "common/mem.h"
#include "common/state.h"

/* Inputs before the newest that a convolution sees, and convolutions. */
#define PAST  (K3_CONV_TAPS - 1)
#define CONVS 3

/* Layers of the kind of 'layer' before it. */
static uint64_t
ordinal(const struct k3_cfg *cfg, unsigned layer)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < layer; i++)
		n += cfg->mla[i] == cfg->mla[layer];
	return n;
}

static uint64_t
count(const struct k3_cfg *cfg, bool mla)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < cfg->nlayer; i++)
		n += cfg->mla[i] == mla;
	return n;
}

/* Floats of one KDA layer's matrices, and with its convolutions' inputs. */
static uint64_t
matrices(const struct k3_cfg *cfg)
{
	return (uint64_t)cfg->kda_width * cfg->kda_dim;
}

static uint64_t
kda_floats(const struct k3_cfg *cfg)
{
	return matrices(cfg) + (uint64_t)CONVS * PAST * cfg->kda_width;
}

uint64_t
k3_state_bytes(const struct k3_cfg *cfg)
{
	return count(cfg, false) * kda_floats(cfg) * sizeof(float);
}

uint64_t
k3_state_latent_bytes(const struct k3_cfg *cfg, uint32_t context)
{
	uint64_t width = cfg->kv_lora + cfg->rope;

	return count(cfg, true) * context * width * sizeof(float);
}

int
k3_state_init(struct k3_state *state, const struct k3_cfg *cfg,
    uint32_t context, struct k3_err *err)
{
	memset(state, 0, sizeof(*state));
	state->cfg = cfg;
	state->context = context;
	state->kda = k3_mem_alloc(k3_state_bytes(cfg), "state", err);
	state->latents =
	    k3_mem_alloc(k3_state_latent_bytes(cfg, context), "latents", err);
	if (state->kda != NULL && state->latents != NULL)
		return 0;
	k3_state_fini(state);
	return -1;
}

void
k3_state_fini(struct k3_state *state)
{
	if (state->cfg == NULL)
		return;
	k3_mem_free(state->kda, k3_state_bytes(state->cfg));
	k3_mem_free(state->latents,
	    k3_state_latent_bytes(state->cfg, state->context));
	memset(state, 0, sizeof(*state));
}

/* Latents are written before they are read; only the rest must be zero. */
int
k3_state_touch(struct k3_state *state, struct k3_err *err)
{
	if (k3_mem_touch(state->kda, k3_state_bytes(state->cfg), "state",
		err) != 0)
		return -1;
	return k3_mem_touch(state->latents,
	    k3_state_latent_bytes(state->cfg, state->context), "latents", err);
}

void
k3_state_reset(struct k3_state *state)
{
	state->pos = 0;
	memset(state->kda, 0, k3_state_bytes(state->cfg));
}

float *
k3_state_kda(struct k3_state *state, unsigned layer)
{
	return state->kda + ordinal(state->cfg, layer) * kda_floats(state->cfg);
}

float *
k3_state_conv(struct k3_state *state, unsigned layer)
{
	return k3_state_kda(state, layer) + matrices(state->cfg);
}

float *
k3_state_latents(struct k3_state *state, unsigned layer)
{
	uint64_t width = state->cfg->kv_lora + state->cfg->rope;

	return state->latents +
	       ordinal(state->cfg, layer) * state->context * width;
}
