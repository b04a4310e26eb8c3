/*
 * cfg.c - config.json of a Kimi K3 checkpoint, validated
 *
 * Tables of the fields that are free and of those that have one allowed value
 * are walked to the end whatever is found; then come the conditions between
 * fields.  All fields are read from text_config: some stand at the root too,
 * but what only the root has is not the language model's.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cfg.h"
#include "common/cfgcheck.h"
#include "common/json.h"
#include "common/notes.h"
#include "common/regular.h"

/* The released config.json has 7 KB. */
#define MAX_FILE ((uint64_t)16 << 20)

/* The objects in which fields stand. */
enum place {
	TEXT,
	LINEAR,
	QUANT,
	NPLACE
};

static const char *const place_name[NPLACE] = { "text_config",
	"linear_attn_config", "quantization_config" };
static const char *const prefix[NPLACE] = { "", "linear_attn_config.",
	"quantization_config." };

struct size {
	enum place place;
	const char *key;
	size_t off; /* in struct k3_cfg, of a uint32_t */
	uint32_t min, max;
};

struct real {
	const char *key;
	size_t off; /* of a double */
	enum place place;
	int sign;
};

/* One allowed value, as it is written in JSON. */
struct fixed {
	enum place place;
	const char *key, *want;
};

/* clang-format off */
#define F(field) offsetof(struct k3_cfg, field)
static const struct size sizes[] = {
{ TEXT, "hidden_size", F(hidden), 1, K3_MAX_SIZE },
{ TEXT, "num_hidden_layers", F(nlayer), 1, K3_MAX_LAYERS },
{ TEXT, "vocab_size", F(vocab), 1, K3_MAX_SIZE },
{ TEXT, "max_position_embeddings", F(max_pos), 1, K3_MAX_SIZE },
{ TEXT, "first_k_dense_replace", F(ndense), 0, K3_MAX_LAYERS },
{ TEXT, "intermediate_size", F(dense), 1, K3_MAX_SIZE },
{ TEXT, "attn_res_block_size", F(res_block), 1, K3_MAX_SIZE },
{ TEXT, "num_attention_heads", F(heads), 1, K3_MAX_SIZE },
{ TEXT, "q_lora_rank", F(q_lora), 1, K3_MAX_SIZE },
{ TEXT, "kv_lora_rank", F(kv_lora), 1, K3_MAX_SIZE },
{ TEXT, "qk_nope_head_dim", F(nope), 1, K3_MAX_SIZE },
{ TEXT, "qk_rope_head_dim", F(rope), 1, K3_MAX_SIZE },
{ TEXT, "v_head_dim", F(v_dim), 1, K3_MAX_SIZE },
{ TEXT, "num_experts", F(experts), 1, K3_MAX_EXPERTS },
{ TEXT, "num_experts_per_token", F(topk), 1, K3_MAX_EXPERTS },
{ TEXT, "num_shared_experts", F(shared), 1, K3_MAX_SIZE },
{ TEXT, "moe_intermediate_size", F(moe), 1, K3_MAX_SIZE },
{ TEXT, "routed_expert_hidden_size", F(latent), 1, K3_MAX_SIZE },
{ TEXT, "eos_token_id", F(eos), 0, K3_MAX_SIZE - 1 },
{ TEXT, "bos_token_id", F(bos), 0, K3_MAX_SIZE - 1 },
{ TEXT, "pad_token_id", F(pad), 0, K3_MAX_SIZE - 1 },
{ LINEAR, "num_heads", F(kda_heads), 1, K3_MAX_SIZE },
{ LINEAR, "head_dim", F(kda_dim), 1, K3_MAX_SIZE },
};

static const struct real reals[] = {
{ "rms_norm_eps", F(eps), TEXT, 1 },
{ "activation_situ_beta", F(beta), TEXT, 1 },
{ "activation_situ_linear_beta", F(linear_beta), TEXT, 1 },
{ "routed_scaling_factor", F(scaling), TEXT, 1 },
{ "gate_lower_bound", F(gate_lower), LINEAR, -1 },
};
#undef F

static const struct fixed fixed[] = {
{ TEXT, "hidden_act", "\"situ\"" },
{ TEXT, "mla_use_nope", "true" },
{ TEXT, "mla_use_output_gate", "true" },
{ TEXT, "latent_moe_use_norm", "true" },
{ TEXT, "moe_renormalize", "true" },
{ TEXT, "moe_router_activation_func", "\"sigmoid\"" },
{ TEXT, "moe_layer_freq", "1" },
{ TEXT, "num_expert_group", "1" },
{ TEXT, "topk_group", "1" },
{ TEXT, "tie_word_embeddings", "false" },
{ TEXT, "num_nextn_predict_layers", "0" },
{ LINEAR, "use_full_rank_gate", "true" },
{ LINEAR, "short_conv_kernel_size", "4" },
{ QUANT, "format", "\"mxfp4-pack-quantized\"" },
};

/* Of each of quantization_config.config_groups.*.weights. */
static const struct fixed group[] = {
{ QUANT, "group_size", "32" },
{ QUANT, "num_bits", "4" },
{ QUANT, "type", "\"float\"" },
};
/* clang-format on */

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

struct parse {
	struct k3_cfg *cfg;
	const struct k3_json *obj[NPLACE];
	struct k3_notes notes;
};

/* A value as JSON, shortened, on one line. */
static const char *
show(const struct k3_json *v, char buf[48])
{
	const char *s;

	switch (k3_json_type(v)) {
	case K3_JSON_BOOL:
		return k3_json_bool(v) ? "true" : "false";
	case K3_JSON_INT:
		snprintf(buf, 48, "%" PRId64, k3_json_int(v));
		return buf;
	case K3_JSON_REAL:
		/* 1.0 must not look like the integer 1. */
		snprintf(buf, 48, "%.9g", k3_json_real(v));
		if (strpbrk(buf, ".e") == NULL)
			snprintf(buf, 48, "%.1f", k3_json_real(v));
		return buf;
	case K3_JSON_STRING:
		s = k3_json_string(v, NULL);
		snprintf(buf, 48, strlen(s) > 32 ? "\"%.32s...\"" : "\"%s\"",
		    s);
		for (char *c = buf; *c != '\0'; c++)
			if (*c < ' ' || *c > '~')
				*c = '?';
		return buf;
	case K3_JSON_ARRAY:
		return "[...]";
	case K3_JSON_OBJECT:
		return "{...}";
	case K3_JSON_NULL:
	default:
		return "null";
	}
}

/* The value of a field; NULL, and a note, if it is missing. */
static const struct k3_json *
get(struct parse *p, enum place place, const char *key)
{
	const struct k3_json *v = k3_json_get(p->obj[place], key);

	if (v == NULL)
		k3_notes_add(&p->notes, K3_MISSING, "%s%s", prefix[place], key);
	return v;
}

static void
read_size(struct parse *p, const struct size *f)
{
	const struct k3_json *v = get(p, f->place, f->key);
	char buf[48];
	int64_t i;
	uint32_t *to = (uint32_t *)(void *)((char *)p->cfg + f->off);

	if (v == NULL)
		return;
	i = k3_json_int(v);
	if (k3_json_type(v) == K3_JSON_INT && i >= f->min && i <= f->max)
		*to = (uint32_t)i;
	else
		k3_notes_add(&p->notes, K3_REFUSED, "%s%s %s (want %u to %u)",
		    prefix[f->place], f->key, show(v, buf), f->min, f->max);
}

static void
read_real(struct parse *p, const struct real *f)
{
	const struct k3_json *v = get(p, f->place, f->key);
	enum k3_json_type type;
	char buf[48];
	float x;

	if (v == NULL)
		return;
	type = k3_json_type(v);
	/* It will be used as a float, so that 1e-60 is 0. */
	x = (float)(k3_json_real(v) * f->sign);
	if ((type == K3_JSON_INT || type == K3_JSON_REAL) && isfinite(x) &&
	    x > 0)
		*(double *)(void *)((char *)p->cfg + f->off) = k3_json_real(v);
	else
		k3_notes_add(&p->notes, K3_REFUSED,
		    "%s%s %s (want a finite number %s 0)", prefix[f->place],
		    f->key, show(v, buf), f->sign > 0 ? "above" : "below");
}

/* Does a value read 'want', in type too? */
static bool
equals(const struct k3_json *v, const char *want)
{
	size_t len;
	const char *s = k3_json_string(v, &len);
	char buf[48];

	if (s != NULL)
		return len + 2 == strlen(want) && *want == '"' &&
		       memcmp(want + 1, s, len) == 0;
	return strcmp(show(v, buf), want) == 0;
}

static void
read_fixed(struct parse *p, const struct fixed *f)
{
	const struct k3_json *v = get(p, f->place, f->key);
	char buf[48];

	if (v != NULL && !equals(v, f->want))
		k3_notes_add(&p->notes, K3_REFUSED, "%s%s %s (want %s)",
		    prefix[f->place], f->key, show(v, buf), f->want);
}

static int
read_group(const char *key, const struct k3_json *v, void *arg)
{
	const struct k3_json *weights = k3_json_get(v, "weights");
	struct parse *p = arg;
	char buf[48];

	(void)key;
	for (size_t i = 0; i < LEN(group); i++) {
		const struct k3_json *w = k3_json_get(weights, group[i].key);

		if (w == NULL)
			k3_notes_add(&p->notes, K3_MISSING,
			    "quantization_config.config_groups.*.weights.%s",
			    group[i].key);
		else if (!equals(w, group[i].want))
			k3_notes_add(&p->notes, K3_REFUSED,
			    "quantization_config.config_groups.*.weights.%s %s "
			    "(want %s)",
			    group[i].key, show(w, buf), group[i].want);
	}
	return 0;
}

static void
read_groups(struct parse *p)
{
	const struct k3_json *v = get(p, QUANT, "config_groups");
	char buf[48];

	if (v == NULL)
		return;
	if (k3_json_type(v) != K3_JSON_OBJECT || k3_json_size(v) == 0)
		k3_notes_add(&p->notes, K3_REFUSED,
		    "quantization_config.config_groups %s (want groups)",
		    show(v, buf));
	else
		k3_json_each(v, read_group, p);
}

/* One of the two lists: its layers, 1-based, are marked in 'seen'. */
static void
read_list(struct parse *p, const char *key, bool mla, bool *seen)
{
	const struct k3_json *v = get(p, LINEAR, key);
	uint32_t nlayer = p->cfg->nlayer;
	char buf[48];

	if (v == NULL)
		return;
	if (k3_json_type(v) != K3_JSON_ARRAY) {
		k3_notes_add(&p->notes, K3_REFUSED, "%s%s %s (want a list)",
		    prefix[LINEAR], key, show(v, buf));
		return;
	}
	for (size_t i = 0; i < k3_json_size(v) && nlayer > 0; i++) {
		const struct k3_json *e = k3_json_at(v, i);
		int64_t layer = k3_json_int(e);

		/* A string's integer is 0, which no layer has. */
		if (layer < 1 || layer > nlayer) {
			k3_notes_add(&p->notes, K3_REFUSED,
			    "%s%s[%zu] %s (want 1 to %u)", prefix[LINEAR], key,
			    i, show(e, buf), nlayer);
			return;
		}
		if (seen[layer - 1]) {
			k3_notes_add(&p->notes, K3_REFUSED,
			    "%s%s[%zu] %s (the layer is listed twice)",
			    prefix[LINEAR], key, i, show(e, buf));
			return;
		}
		seen[layer - 1] = true;
		p->cfg->mla[layer - 1] = mla;
	}
}

static void
read_lists(struct parse *p)
{
	unsigned before = k3_notes_count(&p->notes);
	bool seen[K3_MAX_LAYERS] = { false };

	read_list(p, "full_attn_layers", true, seen);
	read_list(p, "kda_layers", false, seen);
	if (k3_notes_count(&p->notes) != before)
		return;
	for (unsigned i = 0; i < p->cfg->nlayer; i++)
		if (!seen[i]) {
			k3_notes_add(&p->notes, K3_REFUSED,
			    "%sfull_attn_layers and kda_layers without layer "
			    "%u",
			    prefix[LINEAR], i + 1);
			return;
		}
}

static void
find_objects(struct parse *p, const struct k3_json *root)
{
	const struct k3_json *from = root;
	char buf[48];

	for (unsigned i = 0; i < NPLACE; i++) {
		const struct k3_json *v = k3_json_get(from, place_name[i]);

		if (v == NULL)
			k3_notes_add(&p->notes, K3_MISSING, "%s",
			    place_name[i]);
		else if (k3_json_type(v) != K3_JSON_OBJECT)
			k3_notes_add(&p->notes, K3_REFUSED,
			    "%s %s (want an object)", place_name[i],
			    show(v, buf));
		else
			p->obj[i] = v;
		if (i == TEXT)
			from = p->obj[TEXT];
	}
}

int
k3_cfg_parse(struct k3_cfg *cfg, const char *text, size_t len, const char *name,
    struct k3_err *err)
{
	struct k3_json *root = k3_json_parse(text, len, name, err);
	struct parse *p;
	int status = 0;

	if (root == NULL)
		return -1;
	if ((p = calloc(1, sizeof(*p))) == NULL) {
		k3_json_free(root);
		return k3_fail(err, EX_OSERR,
		    "cannot parse '%s': out of memory", name);
	}
	memset(cfg, 0, sizeof(*cfg));
	p->cfg = cfg;
	find_objects(p, root);
	for (size_t i = 0; i < LEN(sizes); i++)
		read_size(p, &sizes[i]);
	for (size_t i = 0; i < LEN(reals); i++)
		read_real(p, &reals[i]);
	for (size_t i = 0; i < LEN(fixed); i++)
		read_fixed(p, &fixed[i]);
	read_groups(p);
	read_lists(p);
	k3_cfgcheck(cfg, &p->notes);
	if (k3_notes_count(&p->notes) != 0)
		status = k3_notes_tell(&p->notes, name, err);
	free(p);
	k3_json_free(root);
	return status;
}

int
k3_cfg_load(struct k3_cfg *cfg, const char *dir, struct k3_err *err)
{
	struct k3_buf text = { 0 };
	char *path;
	int status = -1;

	if (k3_regular_folder(dir, err) != 0)
		return -1;
	if (asprintf(&path, "%s/config.json", dir) < 0)
		return k3_fail(err, EX_OSERR,
		    "cannot open '%s/config.json': out of memory", dir);
	if (k3_regular_load(&text, path, MAX_FILE, err) == 0)
		status = k3_cfg_parse(cfg, text.data, text.len, path, err);
	k3_buf_fini(&text);
	free(path);
	return status;
}

uint64_t
k3_cfg_expert_bytes(const struct k3_cfg *cfg)
{
	/* Half a byte a weight, and a scale byte for each group. */
	return 3 * (uint64_t)cfg->moe * cfg->latent / K3_MX_GROUP *
	       (K3_MX_GROUP / 2 + 1);
}
