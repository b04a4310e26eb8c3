/*
 * toy-models.c - the toys' shapes, and what each is for
 *
 * No matrix is square that need not be, in elements or in packed bytes, so
 * that exchanged sizes are noticed.  'tiny' alone breaks that, to be small.
 * The seeds are those with which the reference's margins hold.
 */
#include <string.h>

#include "tests/toy.h"

/* clang-format off */
static const struct toy toys[] = {
{
	.name = "thirteen",
	.about = "13 layers, snapshots every 3, the last two both MLA",
	.seed = 1, .nspecial = 20, .shards = 1, .order = TOY_RELEASED,
	.cfg = {
		.hidden = 60, .nlayer = 13, .vocab = 300, .max_pos = 1048576,
		.ndense = 1, .dense = 112, .res_block = 3,
		.kda_heads = 3, .kda_dim = 22,
		.heads = 3, .q_lora = 28, .kv_lora = 20,
		.nope = 10, .rope = 6, .v_dim = 12,
		.experts = 8, .topk = 2, .shared = 2, .moe = 32, .latent = 96,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 1.0,
		.gate_lower = -5.0,
		.mla = { [3] = true, [7] = true, [11] = true, [12] = true },
	},
}, {
	.name = "odd",
	.about = "odd widths, 2 dense layers, every constant another one",
	.seed = 1, .nspecial = 13, .shards = 3, .order = TOY_NAME,
	.index = true,
	.cfg = {
		.hidden = 83, .nlayer = 7, .vocab = 293, .max_pos = 4099,
		.ndense = 2, .dense = 101, .res_block = 4,
		.kda_heads = 3, .kda_dim = 13,
		.heads = 5, .q_lora = 29, .kv_lora = 17,
		.nope = 7, .rope = 5, .v_dim = 11,
		.experts = 11, .topk = 3, .shared = 3, .moe = 32, .latent = 96,
		.eps = 3e-5, .beta = 3.0, .linear_beta = 7.5, .scaling = 1.7,
		.gate_lower = -3.5,
		.mla = { [0] = true, [3] = true, [4] = true },
	},
}, {
	.name = "wide",
	.about = "64 experts, 16 of them picked, a shard a layer",
	.seed = 1, .nspecial = 24, .shards = TOY_A_LAYER,
	.order = TOY_RELEASED, .index = true,
	.cfg = {
		.hidden = 128, .nlayer = 5, .vocab = 320, .max_pos = 65536,
		.ndense = 1, .dense = 200, .res_block = 12,
		.kda_heads = 4, .kda_dim = 24,
		.heads = 6, .q_lora = 48, .kv_lora = 40,
		.nope = 20, .rope = 8, .v_dim = 18,
		.experts = 64, .topk = 16, .shared = 2, .moe = 96,
		.latent = 64,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 1.0,
		.gate_lower = -5.0,
		.mla = { [3] = true, [4] = true },
	},
}, {
	.name = "mixed",
	.about = "dtypes differ by tensor; 5 shuffled shards without index",
	.seed = 1, .nspecial = 16, .shards = 5, .order = TOY_SHUFFLED,
	.mixed = true,
	.cfg = {
		.hidden = 72, .nlayer = 6, .vocab = 296, .max_pos = 8192,
		.ndense = 1, .dense = 90, .res_block = 2,
		.kda_heads = 2, .kda_dim = 33,
		.heads = 4, .q_lora = 26, .kv_lora = 19,
		.nope = 9, .rope = 4, .v_dim = 14,
		.experts = 6, .topk = 2, .shared = 1, .moe = 96, .latent = 32,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 2.5,
		.gate_lower = -5.0,
		.mla = { [1] = true, [4] = true, [5] = true },
	},
}, {
	.name = "tiny",
	.about = "3 layers, one file of 50 kB, for tests of every byte",
	.seed = 1, .nspecial = 8, .shards = 1, .order = TOY_NAME,
	.cfg = {
		.hidden = 11, .nlayer = 3, .vocab = 266, .max_pos = 128,
		.ndense = 1, .dense = 14, .res_block = 2,
		.kda_heads = 2, .kda_dim = 5,
		.heads = 2, .q_lora = 6, .kv_lora = 5,
		.nope = 3, .rope = 2, .v_dim = 4,
		.experts = 3, .topk = 2, .shared = 1, .moe = 32, .latent = 32,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 1.0,
		.gate_lower = -5.0,
		.mla = { [2] = true },
	},
}, {
	.name = "tall",
	.about = "layers, snapshots and shards as many as released, but small",
	.seed = 1, .nspecial = 16, .shards = TOY_A_LAYER,
	.order = TOY_RELEASED, .index = true,
	.cfg = {
		.hidden = 24, .nlayer = 93, .vocab = 280, .max_pos = 1048576,
		.ndense = 1, .dense = 40, .res_block = 12,
		.kda_heads = 2, .kda_dim = 10,
		.heads = 2, .q_lora = 14, .kv_lora = 9,
		.nope = 6, .rope = 4, .v_dim = 7,
		.experts = 4, .topk = 2, .shared = 2, .moe = 32, .latent = 64,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 1.0,
		.gate_lower = -5.0,
		.mla = {
			[3] = true, [7] = true, [11] = true, [15] = true,
			[19] = true, [23] = true, [27] = true, [31] = true,
			[35] = true, [39] = true, [43] = true, [47] = true,
			[51] = true, [55] = true, [59] = true, [63] = true,
			[67] = true, [71] = true, [75] = true, [79] = true,
			[83] = true, [87] = true, [91] = true, [92] = true,
		},
	},
}, {
	.name = "big",
	.about = "95 MB, for budgets that do not hold a model",
	.seed = 1, .nspecial = 32, .shards = TOY_A_LAYER,
	.order = TOY_RELEASED, .index = true,
	.cfg = {
		.hidden = 384, .nlayer = 12, .vocab = 2048, .max_pos = 1048576,
		.ndense = 1, .dense = 1408, .res_block = 4,
		.kda_heads = 8, .kda_dim = 56,
		.heads = 8, .q_lora = 112, .kv_lora = 80,
		.nope = 40, .rope = 16, .v_dim = 44,
		.experts = 64, .topk = 8, .shared = 2, .moe = 256,
		.latent = 192,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 1.0,
		.gate_lower = -5.0,
		.mla = { [3] = true, [7] = true, [11] = true },
	},
}, {
	.name = "slice",
	.about = "5 layers and 64 experts of K3's real widths, 11.5 GB",
	.seed = 1, .nspecial = 256, .shards = TOY_A_LAYER,
	.order = TOY_RELEASED, .index = true,
	.cfg = {
		.hidden = 7168, .nlayer = 5, .vocab = 16384,
		.max_pos = 1048576, .ndense = 1, .dense = 33792,
		.res_block = 12, .kda_heads = 96, .kda_dim = 128,
		.heads = 96, .q_lora = 1536, .kv_lora = 512,
		.nope = 128, .rope = 64, .v_dim = 128,
		.experts = 64, .topk = 16, .shared = 2, .moe = 3072,
		.latent = 3584,
		.eps = 1e-5, .beta = 4.0, .linear_beta = 25.0, .scaling = 1.0,
		.gate_lower = -5.0,
		.mla = { [3] = true, [4] = true },
	},
},
};
/* clang-format on */

bool
toy_at(unsigned number, struct toy *out)
{
	if (number >= sizeof(toys) / sizeof(toys[0]))
		return false;
	*out = toys[number];
	out->cfg.kda_width = out->cfg.kda_heads * out->cfg.kda_dim;
	out->cfg.bos = out->cfg.vocab - out->nspecial;
	out->cfg.eos = out->cfg.bos + 2;
	out->cfg.pad = out->cfg.vocab - 1;
	return true;
}

bool
toy_find(const char *name, struct toy *out)
{
	for (unsigned i = 0; toy_at(i, out); i++)
		if (strcmp(out->name, name) == 0)
			return true;
	return false;
}
