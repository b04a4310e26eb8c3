/*
 * cfg.c - config.json: what is accepted, what is refused, and what is said
 *
 * The good config is lines of "place key value", from which each test makes a
 * document with one line changed or left out.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cfg.h"
#include "tests/tap.h"

enum place {
	TEXT,
	LINEAR,
	QUANT,
	WEIGHTS,
};

/* 'bad' are values to be refused, a blank between them. */
static const struct field {
	enum place place;
	const char *key, *good, *bad;
} fields[] = {
#define SIZE "0 -1 \"64\" 64.0 null 16777217 9223372036854775807 1e30 [64] {}"
	{ TEXT, "hidden_size", "64", SIZE },
	{ TEXT, "num_hidden_layers", "4", "0 -4 4.0 4097 3 5" },
	{ TEXT, "vocab_size", "300", SIZE " 2" },
	{ TEXT, "max_position_embeddings", "4096", SIZE },
	{ TEXT, "first_k_dense_replace", "1", "-1 5 null 1.0" },
	{ TEXT, "intermediate_size", "96", SIZE },
	{ TEXT, "attn_res_block_size", "12", SIZE },
	{ TEXT, "num_attention_heads", "2", SIZE " 16777216" },
	{ TEXT, "q_lora_rank", "32", SIZE },
	{ TEXT, "kv_lora_rank", "16", SIZE " 16777216" },
	{ TEXT, "qk_nope_head_dim", "8", SIZE " 16777216" },
	{ TEXT, "qk_rope_head_dim", "4", SIZE " 16777216" },
	{ TEXT, "v_head_dim", "8", SIZE " 16777216" },
	{ TEXT, "num_experts", "8", "0 -1 1 65537 8.0" },
	{ TEXT, "num_experts_per_token", "2", "0 -1 9 2.0" },
	{ TEXT, "num_shared_experts", "2", SIZE " 16777216" },
	{ TEXT, "moe_intermediate_size", "32", SIZE " 16 33" },
	{ TEXT, "routed_expert_hidden_size", "64", SIZE " 16 65" },
	{ TEXT, "eos_token_id", "1", "-1 300 null [1] 1.0" },
	{ TEXT, "bos_token_id", "2", "-1 300 null [1] 1.0" },
	{ TEXT, "pad_token_id", "0", "-1 300 null [1] 1.0" },
	{ TEXT, "rms_norm_eps", "1e-05", "0 -1e-5 1e-60 1e60 null \"x\"" },
	{ TEXT, "activation_situ_beta", "4.0", "0 -4 1e60 null true" },
	{ TEXT, "activation_situ_linear_beta", "25", "0 -4 1e60 null []" },
	{ TEXT, "routed_scaling_factor", "1.0", "0 -1 1e60 null {}" },
	{ TEXT, "hidden_act", "\"situ\"", "\"silu\" null 1 \"situ2\" \"\"" },
	{ TEXT, "mla_use_nope", "true", "false 1 \"true\" null" },
	{ TEXT, "mla_use_output_gate", "true", "false" },
	{ TEXT, "latent_moe_use_norm", "true", "false" },
	{ TEXT, "moe_renormalize", "true", "false" },
	{ TEXT, "moe_router_activation_func", "\"sigmoid\"", "\"softmax\"" },
	{ TEXT, "moe_layer_freq", "1", "0 2 1.0 true \"1\"" },
	{ TEXT, "num_expert_group", "1", "0 2" },
	{ TEXT, "topk_group", "1", "0 2" },
	{ TEXT, "tie_word_embeddings", "false", "true 0 null" },
	{ TEXT, "num_nextn_predict_layers", "0", "1 false" },
	{ LINEAR, "num_heads", "2", SIZE " 17" },
	{ LINEAR, "head_dim", "16", SIZE " 1 16777216" },
	{ LINEAR, "gate_lower_bound", "-5.0", "0 5 -1e60 null" },
	{ LINEAR, "short_conv_kernel_size", "4", "3 4.0" },
	{ LINEAR, "use_full_rank_gate", "true", "false" },
	{ LINEAR, "full_attn_layers", "[2,4]",
	    "[] [2] [2,4,4] [2,4,1] [2,4,5] [2,4,0] [2,-4] [2,\"4\"] "
	    "[2,4.0] null 4 {}" },
	{ LINEAR, "kda_layers", "[1,3]", "[] [1] [1,3,3] [1,2,3] [0,1,3]" },
	{ QUANT, "format", "\"mxfp4-pack-quantized\"", "\"int4\" null" },
	{ WEIGHTS, "group_size", "32", "16 32.0" },
	{ WEIGHTS, "num_bits", "4", "8" },
	{ WEIGHTS, "type", "\"float\"", "\"int\"" },
};
#define NFIELD (sizeof(fields) / sizeof(fields[0]))

static char text[16384];

/* The fields of a place, with a comma before each. */
static void
members(enum place place, size_t which, const char *value)
{
	for (size_t i = 0; i < NFIELD; i++) {
		const char *v =
		    which == i || which == NFIELD ? value : fields[i].good;

		if (fields[i].place == place && v != NULL)
			sprintf(text + strlen(text), ",\"%s\":%s",
			    fields[i].key, v);
	}
}

/* A config, with 'value' for field 'which' (NFIELD: for all); NULL: without. */
static void
make(size_t which, const char *value)
{
	/* What stands at the root, and what means nothing, is not read. */
	strcpy(text, "{\"eos_token_id\":7,\"hidden_size\":9,"
		     "\"text_config\":{\"top_k\":50");
	members(TEXT, which, value);
	strcat(text, ",\"linear_attn_config\":{\"x\":null");
	members(LINEAR, which, value);
	strcat(text, "},\"quantization_config\":{\"ignore\":[]");
	members(QUANT, which, value);
	strcat(text, ",\"config_groups\":{\"group_0\":{\"weights\":{\"x\":{}");
	members(WEIGHTS, which, value);
	strcat(text, "}}}}}}");
}

static int
parse(struct k3_cfg *cfg, struct k3_err *err)
{
	strcpy(err->msg, "");
	return k3_cfg_parse(cfg, text, strlen(text), "t", err);
}

static size_t
find(const char *key)
{
	size_t i = 0;

	while (strcmp(fields[i].key, key) != 0)
		i++;
	return i;
}

static bool
refused(int status, const struct k3_err *err, const char *key)
{
	/* Where the lists and the number differ, either may be wrong. */
	if (status == -1 && err->code == EX_DATAERR &&
	    (strstr(err->msg, key) != NULL ||
		(strstr(key, "layers") != NULL &&
		    strstr(err->msg, "_layers") != NULL)))
		return true;
	diag("%d %s", status, err->msg);
	return false;
}

static void
check_good(struct k3_cfg *cfg, struct k3_err *err)
{
	make(NFIELD + 1, NULL);
	ok(parse(cfg, err) == 0, "a small config %s", err->msg);
	ok(cfg->hidden == 64 && cfg->eos == 1,
	    "text_config holds, not the root");
	ok(cfg->kda_width == 32 && cfg->eps == 1e-5 && cfg->gate_lower == -5,
	    "sizes and numbers");
	ok(!cfg->mla[0] && cfg->mla[1] && !cfg->mla[2] && cfg->mla[3],
	    "layer lists count from 1");
	ok(k3_cfg_expert_bytes(cfg) == 3 * 32 * (64 / 2 + 64 / 32),
	    "bytes of an expert");
	make(find("first_k_dense_replace"), "0");
	ok(parse(cfg, err) == 0 && cfg->ndense == 0, "no dense layer");
	make(find("first_k_dense_replace"), "4");
	ok(parse(cfg, err) == 0 && cfg->ndense == 4, "dense layers only");
	make(find("routed_scaling_factor"), "2");
	ok(parse(cfg, err) == 0 && cfg->scaling == 2, "an integer as a real");
}

static void
check_each(struct k3_cfg *cfg, struct k3_err *err)
{
	char bad[256], *value, *save;

	for (size_t i = 0; i < NFIELD; i++) {
		const struct field *f = &fields[i];

		make(i, NULL);
		ok(refused(parse(cfg, err), err, f->key) &&
			strncmp(err->msg, "'t': missing ", 13) == 0 &&
			strchr(err->msg, ';') == NULL,
		    "without %s", f->key);
		strcpy(bad, f->bad);
		for (value = strtok_r(bad, " ", &save); value != NULL;
		     value = strtok_r(NULL, " ", &save)) {
			make(i, value);
			ok(refused(parse(cfg, err), err, f->key), "%s %s",
			    f->key, value);
		}
	}
}

static void
check_all(struct k3_cfg *cfg, struct k3_err *err)
{
	bool all = true;

	make(NFIELD, NULL);
	all = parse(cfg, err) == -1;
	for (size_t i = 0; i < NFIELD; i++)
		all = all && strstr(err->msg, fields[i].key) != NULL;
	ok(all, "all missing fields are named at once");
	make(NFIELD, "\"?\"");
	ok(parse(cfg, err) == -1 &&
		strstr(err->msg,
		    "'t': refused hidden_size \"?\" (want 1 to ") == err->msg &&
		strstr(err->msg, " more") != NULL,
	    "refused ones that do not fit are counted");
	make(find("hidden_act"), "\"ge\\nlu\"");
	*strstr(text, "num_experts") = 'N';
	parse(cfg, err);
	ok(strcmp(err->msg,
	       "'t': missing num_experts; refused hidden_act \"ge?lu\" "
	       "(want \"situ\")") == 0,
	    "what the message says: %s", err->msg);
	strcpy(text, "{\"text_config\":[]}");
	ok(refused(parse(cfg, err), err, "text_config [...]"), "no object");
	strcpy(text, "{\"text_config\":{}");
	ok(refused(parse(cfg, err), err, "line"), "no JSON");
}

/* Each size is allowed, but not all of them together. */
static void
check_huge(struct k3_cfg *cfg, struct k3_err *err)
{
	static const char *const huge[][2] = {
		{ "\"num_experts\":", "65536" },
		{ "\"moe_intermediate_size\":", "8388608" },
		{ "\"routed_expert_hidden_size\":", "16777216" },
	};
	char rest[sizeof(text)], *at;

	make(NFIELD + 1, NULL);
	for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		at = strstr(text, huge[i][0]) + strlen(huge[i][0]);
		strcpy(rest, strchr(at, ','));
		sprintf(at, "%s%s", huge[i][1], rest);
	}
	ok(refused(parse(cfg, err), err, "bytes in all"),
	    "sizes that multiply past 63 bits");
}

static void
check_files(struct k3_cfg *cfg, struct k3_err *err)
{
	static const char released[] = "../shared/data/kimi-k3";
	char dir[] = "/tmp/k3-cfg-XXXXXX", path[64];

	if (mkdtemp(dir) == NULL)
		return;
	snprintf(path, sizeof(path), "%s/config.json", dir);
	ok(k3_cfg_load(cfg, dir, err) == -1 && err->code == EX_NOINPUT,
	    "no file: %s", err->msg);
	ok(mkfifo(path, 0600) == 0 && k3_cfg_load(cfg, dir, err) == -1 &&
		err->code == EX_NOINPUT,
	    "a FIFO: %s", err->msg);
	unlink(path);
	ok(symlink("/dev/zero", path) == 0 &&
		k3_cfg_load(cfg, dir, err) == -1 && err->code == EX_NOINPUT,
	    "a link to a device: %s", err->msg);
	unlink(path);
	rmdir(dir);
	if (access(released, R_OK) != 0) {
		skip("the released config.json", "../shared is not there");
		return;
	}
	ok(k3_cfg_load(cfg, released, err) == 0 && cfg->hidden == 7168 &&
		cfg->nlayer == 93 && cfg->mla[3] && cfg->mla[91] &&
		cfg->mla[92] && !cfg->mla[90] && cfg->eos == 163586 &&
		k3_cfg_expert_bytes(cfg) == 17547264,
	    "the released config.json");
}

int
main(void)
{
	static struct k3_cfg cfg;
	struct k3_err err;

	check_good(&cfg, &err);
	check_each(&cfg, &err);
	check_all(&cfg, &err);
	check_huge(&cfg, &err);
	check_files(&cfg, &err);
	return tap_done();
}
