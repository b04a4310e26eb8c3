/*
 * toy-text.c - a toy's config.json and its tokenizer
 */
#include <string.h>

#include "tests/toy.h"

/* Layer numbers of one kind, as the released file has them: from 1. */
static void
layers(const struct k3_cfg *cfg, bool mla, const char *name, FILE *f)
{
	const char *comma = "";

	fprintf(f, "      \"%s\": [", name);
	for (unsigned i = 0; i < cfg->nlayer; i++)
		if (cfg->mla[i] == mla) {
			fprintf(f, "%s%u", comma, i + 1);
			comma = ", ";
		}
	fputs("],\n", f);
}

static void
linear(const struct k3_cfg *cfg, FILE *f)
{
	fputs("    \"linear_attn_config\": {\n", f);
	layers(cfg, true, "full_attn_layers", f);
	layers(cfg, false, "kda_layers", f);
	fprintf(f,
	    "      \"gate_lower_bound\": %.1f,\n"
	    "      \"head_dim\": %u,\n"
	    "      \"num_heads\": %u,\n"
	    "      \"short_conv_kernel_size\": 4,\n"
	    "      \"use_full_rank_gate\": true\n"
	    "    },\n",
	    cfg->gate_lower, cfg->kda_dim, cfg->kda_heads);
}

/* Sizes and constants, in the order of struct k3_cfg. */
static void
sizes(const struct k3_cfg *c, FILE *f)
{
	const struct {
		const char *name;
		uint32_t v;
	} size[] = {
		{ "hidden_size", c->hidden },
		{ "num_hidden_layers", c->nlayer },
		{ "vocab_size", c->vocab },
		{ "max_position_embeddings", c->max_pos },
		{ "first_k_dense_replace", c->ndense },
		{ "intermediate_size", c->dense },
		{ "attn_res_block_size", c->res_block },
		{ "num_attention_heads", c->heads },
		{ "q_lora_rank", c->q_lora },
		{ "kv_lora_rank", c->kv_lora },
		{ "qk_nope_head_dim", c->nope },
		{ "qk_rope_head_dim", c->rope },
		{ "v_head_dim", c->v_dim },
		{ "num_experts", c->experts },
		{ "num_experts_per_token", c->topk },
		{ "num_shared_experts", c->shared },
		{ "moe_intermediate_size", c->moe },
		{ "routed_expert_hidden_size", c->latent },
		{ "eos_token_id", c->eos },
		{ "bos_token_id", c->bos },
		{ "pad_token_id", c->pad },
	};

	for (unsigned i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		fprintf(f, "    \"%s\": %u,\n", size[i].name, size[i].v);
	fprintf(f, "    \"rms_norm_eps\": %g,\n", c->eps);
	fprintf(f, "    \"activation_situ_beta\": %.1f,\n", c->beta);
	fprintf(f, "    \"activation_situ_linear_beta\": %.1f,\n",
	    c->linear_beta);
	fprintf(f, "    \"routed_scaling_factor\": %.1f,\n", c->scaling);
}

/* Ids that text_config overrules, and keys that mean nothing. */
static const char root[] =
    "{\n"
    "  \"architectures\": [\"KimiK3ForConditionalGeneration\"],\n"
    "  \"bos_token_id\": 1,\n"
    "  \"dtype\": \"bfloat16\",\n"
    "  \"eos_token_id\": 2,\n"
    "  \"hidden_size\": 31,\n"
    "  \"model_type\": \"kimi_k3\",\n"
    "  \"pad_token_id\": 3,\n"
    "  \"text_config\": {\n";

static const char fixed[] =
    "    \"hidden_act\": \"situ\",\n"
    "    \"latent_moe_use_norm\": true,\n"
    "    \"mla_use_nope\": true,\n"
    "    \"mla_use_output_gate\": true,\n"
    "    \"moe_layer_freq\": 1,\n"
    "    \"moe_renormalize\": true,\n"
    "    \"moe_router_activation_func\": \"sigmoid\",\n"
    "    \"num_expert_group\": 1,\n"
    "    \"num_nextn_predict_layers\": 0,\n"
    "    \"quantization_config\": {\n"
    "      \"config_groups\": {\n"
    "        \"group_0\": {\n"
    "          \"format\": \"mxfp4-pack-quantized\",\n"
    "          \"input_activations\": null,\n"
    "          \"targets\": [\"Linear\"],\n"
    "          \"weights\": {\n"
    "            \"dynamic\": false,\n"
    "            \"group_size\": 32,\n"
    "            \"num_bits\": 4,\n"
    "            \"scale_dtype\": \"torch.uint8\",\n"
    "            \"strategy\": \"group\",\n"
    "            \"symmetric\": true,\n"
    "            \"type\": \"float\"\n"
    "          }\n"
    "        }\n"
    "      },\n"
    "      \"format\": \"mxfp4-pack-quantized\",\n"
    "      \"ignore\": [\"re:.*self_attn.*\", \"re:.*lm_head.*\"],\n"
    "      \"quant_method\": \"compressed-tensors\"\n"
    "    },\n"
    "    \"tie_word_embeddings\": false,\n"
    "    \"topk_group\": 1,\n"
    "    \"do_sample\": false,\n"
    "    \"id2label\": {\"0\": \"LABEL_0\", \"1\": \"LABEL_1\"},\n"
    "    \"max_length\": 20,\n"
    "    \"num_key_value_heads\": 96,\n"
    "    \"temperature\": 1.0,\n"
    "    \"top_k\": 50,\n"
    "    \"use_grouped_topk\": true\n"
    "  },\n"
    "  \"tie_word_embeddings\": false,\n"
    "  \"vision_config\": {\"hidden_size\": 1024, \"vocab_size\": 7}\n"
    "}\n";

static void
config(const struct k3_cfg *cfg, const char *dir)
{
	FILE *f = toy_create(dir, "config.json");

	fputs(root, f);
	sizes(cfg, f);
	linear(cfg, f);
	fputs(fixed, f);
	toy_close(f, "config.json");
}

/* A line "base64 rank". */
static void
rank(FILE *f, const void *bytes, size_t len, unsigned id)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				    "pqrstuvwxyz0123456789+/";
	const uint8_t *s = bytes;

	for (size_t i = 0; i < len; i += 3) {
		uint32_t b = (uint32_t)s[i] << 16;

		if (i + 1 < len)
			b |= (uint32_t)s[i + 1] << 8;
		if (i + 2 < len)
			b |= s[i + 2];
		fputc(digit[b >> 18], f);
		fputc(digit[b >> 12 & 63], f);
		fputc(i + 1 < len ? digit[b >> 6 & 63] : '=', f);
		fputc(i + 2 < len ? digit[b & 63] : '=', f);
	}
	fprintf(f, " %u\n", id);
}

/* Bytes in GPT-2's order: what prints in Latin-1, then the rest. */
static unsigned
bytes(FILE *f)
{
	unsigned n = 0;

	for (unsigned rest = 0; rest < 2; rest++)
		for (unsigned i = 0; i < 256; i++) {
			bool prints =
			    (i > 32 && i < 127) || (i > 160 && i != 173);
			uint8_t byte = (uint8_t)i;

			if (prints == (rest == 0))
				rank(f, &byte, 1, n++);
		}
	return n;
}

static const char *const merge[] = { " t", "he", "in", " a", "  ", " the", "er",
	"re", "ing", "\n\n", "nd", " and", "\xc3\xa9", "12", "123" };

#define NMERGE (sizeof(merge) / sizeof(merge[0]))

static bool
is_merge(const char pair[2])
{
	for (unsigned i = 0; i < NMERGE; i++)
		if (strlen(merge[i]) == 2 && memcmp(merge[i], pair, 2) == 0)
			return true;
	return false;
}

/* Words of two ASCII characters, then of two other bytes, to fill up. */
static void
pairs(FILE *f, unsigned from, unsigned to)
{
	for (unsigned i = 0; from < to; i++) {
		unsigned j = i - 95 * 95;
		char pair[2] = { (char)(32 + i / 95), (char)(32 + i % 95) };

		if (i >= 95 * 95) {
			pair[0] = (char)(128 + j / 128);
			pair[1] = (char)(128 + j % 128);
		}
		if (!is_merge(pair))
			rank(f, pair, 2, from++);
	}
}

/* Every id below the special ones has a rank. */
static void
ranks(const struct toy *toy, const char *dir)
{
	FILE *f = toy_create(dir, "tiktoken.model");
	unsigned n = bytes(f), end = toy->cfg.vocab - toy->nspecial;

	for (unsigned i = 0; i < NMERGE && n < end; i++)
		rank(f, merge[i], strlen(merge[i]), n++);
	pairs(f, n, end);
	toy_close(f, "tiktoken.model");
}

static void
added(unsigned id, const char *name, bool special, const char *end, FILE *f)
{
	fprintf(f,
	    "    \"%u\": {\n"
	    "      \"content\": \"%s\",\n"
	    "      \"lstrip\": false,\n"
	    "      \"normalized\": false,\n"
	    "      \"rstrip\": false,\n"
	    "      \"single_word\": false,\n"
	    "      \"special\": %s\n"
	    "    }%s\n",
	    id, name, special ? "true" : "false", end);
}

/* Names for the first and the last two; those between are reserved. */
static void
specials(const struct toy *toy, const char *dir)
{
	static const char file[] = "tokenizer_config.json";
	static const char *const first[] = { "[BOS]", "[EOS]", "<|end_of_msg|>",
		"<|open|>", "<|close|>", "<|sep|>" };
	unsigned id = toy->cfg.vocab - toy->nspecial;
	FILE *f = toy_create(dir, file);

	fputs("{\n  \"added_tokens_decoder\": {\n", f);
	for (unsigned i = 0; i < 6; i++)
		added(id + i, first[i], i < 3, ",", f);
	added(toy->cfg.vocab - 2, "[UNK]", true, ",", f);
	added(toy->cfg.vocab - 1, "[PAD]", true, "", f);
	fputs("  },\n"
	      "  \"additional_special_tokens\": [\"<|end_of_msg|>\"],\n"
	      "  \"bos_token\": \"[BOS]\",\n"
	      "  \"clean_up_tokenization_spaces\": false,\n"
	      "  \"eos_token\": \"[EOS]\",\n"
	      "  \"extra_special_tokens\": {},\n"
	      "  \"model_max_length\": 1000000000000000019884624838656,\n"
	      "  \"pad_token\": \"[PAD]\",\n"
	      "  \"tokenizer_class\": \"TikTokenTokenizer\",\n"
	      "  \"unk_token\": \"[UNK]\"\n"
	      "}\n",
	    f);
	toy_close(f, file);
}

void
toy_text(const struct toy *toy, const char *dir)
{
	config(&toy->cfg, dir);
	ranks(toy, dir);
	specials(toy, dir);
}
