/*
 * sizes.c - what a model weighs, part by part, in bytes as stored
 */
#include "common/sizes.h"
#include "common/state.h"

uint64_t
k3_layer_bytes(const struct k3_cfg *cfg, const struct k3_st *st, unsigned layer)
{
	struct k3_shape shape;
	uint64_t bytes = 0;

	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (k3_tensor_shape(cfg, layer, (enum k3_tensor)t, &shape))
			bytes += k3_st_tensor(st, layer, (enum k3_tensor)t).len;
	return bytes;
}

void
k3_sizes(struct k3_sizes *z, const struct k3_cfg *cfg, const struct k3_st *st)
{
	uint64_t nkda = 0, layers = cfg->nlayer;

	z->expert = k3_cfg_expert_bytes(cfg);
	z->experts = (layers - cfg->ndense) * cfg->experts * z->expert;
	z->trunk = 0;
	for (unsigned i = 0; i < layers; i++) {
		z->trunk += k3_layer_bytes(cfg, st, i);
		nkda += !cfg->mla[i];
	}
	z->head = k3_layer_bytes(cfg, st, cfg->nlayer);
	z->kda = nkda * cfg->kda_width * cfg->kda_dim * sizeof(float);
	z->conv = k3_state_bytes(cfg) - z->kda;
	z->latent = k3_state_latent_bytes(cfg, 1);
}
