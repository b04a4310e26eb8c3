"""config.json (k3.md 2) and the tensors that it asks for (k3.md 3).

A field is never defaulted; all that is missing or refused is reported at once.
"""
import json
import math

WHOLE = """hidden_size num_hidden_layers vocab_size intermediate_size
    num_attention_heads q_lora_rank kv_lora_rank qk_nope_head_dim
    qk_rope_head_dim v_head_dim num_experts num_experts_per_token
    num_shared_experts moe_intermediate_size routed_expert_hidden_size
    first_k_dense_replace attn_res_block_size max_position_embeddings
    eos_token_id bos_token_id pad_token_id
    linear_attn_config.num_heads linear_attn_config.head_dim""".split()
REAL = """rms_norm_eps activation_situ_beta activation_situ_linear_beta
    routed_scaling_factor linear_attn_config.gate_lower_bound""".split()
MAY_BE_ZERO = {"first_k_dense_replace", "eos_token_id", "bos_token_id",
               "pad_token_id"}
FIXED = {
    "hidden_act": "situ", "mla_use_nope": True, "mla_use_output_gate": True,
    "latent_moe_use_norm": True, "moe_renormalize": True,
    "linear_attn_config.use_full_rank_gate": True,
    "moe_router_activation_func": "sigmoid", "moe_layer_freq": 1,
    "num_expert_group": 1, "topk_group": 1,
    "linear_attn_config.short_conv_kernel_size": 4,
    "tie_word_embeddings": False, "num_nextn_predict_layers": 0,
    "quantization_config.format": "mxfp4-pack-quantized",
}
GROUP = {"group_size": 32, "num_bits": 4, "type": "float"}


class Bad(Exception):
    """What is wrong with a model, one line each."""


def pick(tree, path):
    for key in path.split("."):
        tree = tree[key]
    return tree


def same(a, b):
    return type(a) is type(b) and a == b        # 1 is not true


class Config:
    """The fields of text_config as attributes, by their last name but for
    linear_attn_config's num_heads and head_dim, which are kda_heads and
    kda_dim; layers are 0-based."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            root = json.load(f)
        text, bad = root.get("text_config", {}), []
        for name in WHOLE + REAL + list(FIXED):
            try:
                v = pick(text, name)
            except (KeyError, TypeError):
                bad.append(f"{name}: missing")
                continue
            if name in FIXED:
                ok = same(v, FIXED[name])
            elif name in WHOLE:
                ok = type(v) is int and v >= (name not in MAY_BE_ZERO)
            else:
                ok = type(v) in (int, float) and math.isfinite(v)
            if not ok:
                bad.append(f"{name}: {v!r} is refused")
            name = {"linear_attn_config.num_heads": "kda_heads",
                    "linear_attn_config.head_dim": "kda_dim"}.get(name, name)
            setattr(self, name.split(".")[-1], v)
        groups = text.get("quantization_config", {}).get("config_groups", {})
        for group in groups.values() or [{}]:
            for key, v in GROUP.items():
                if not same(group.get("weights", {}).get(key), v):
                    bad.append(f"config_groups.*.weights.{key}: not {v!r}")
        lin = text.get("linear_attn_config", {})
        full = lin.get("full_attn_layers", [])
        both = sorted(full + lin.get("kda_layers", []))
        if both != list(range(1, text.get("num_hidden_layers", 0) + 1)):
            bad.append("full_attn_layers, kda_layers: do not part the layers")
        self.mla_layers = {i - 1 for i in full}  # the lists are 1-based
        if not bad:
            bad += self.contradictions()
        if bad:
            raise Bad("\n".join(f"{path}: {b}" for b in bad))

    def contradictions(self):
        if self.num_experts_per_token > self.num_experts:
            yield "num_experts_per_token: more than num_experts"
        if self.kda_heads > self.kda_dim:
            yield "linear_attn_config.num_heads: A_log has no room for them"
        for name in ("moe_intermediate_size", "routed_expert_hidden_size"):
            if getattr(self, name) % 32 != 0:
                yield f"{name}: not a multiple of 32"


def shapes(c):
    """Name -> shape of every tensor that the model needs."""
    t = {}
    E, D, H = c.hidden_size, c.kda_dim, c.num_attention_heads
    P = c.kda_heads * D
    nope, rope, v = c.qk_nope_head_dim, c.qk_rope_head_dim, c.v_head_dim
    latent, moe = c.routed_expert_hidden_size, c.moe_intermediate_size

    def add(prefix, suffix=".weight", **names):
        for name, shape in names.items():
            t[prefix + name.replace("__", ".") + suffix] = shape

    add("language_model.", lm_head=(c.vocab_size, E))
    add("language_model.model.", embed_tokens=(c.vocab_size, E), norm=(E,),
        output_attn_res_norm=(E,), output_attn_res_proj=(1, E))
    for i in range(c.num_hidden_layers):
        p = f"language_model.model.layers.{i}."
        add(p, input_layernorm=(E,), post_attention_layernorm=(E,),
            self_attention_res_norm=(E,), self_attention_res_proj=(1, E),
            mlp_res_norm=(E,), mlp_res_proj=(1, E))
        a = p + "self_attn."
        if i in c.mla_layers:
            add(a, q_a_proj=(c.q_lora_rank, E), q_a_layernorm=(c.q_lora_rank,),
                q_b_proj=(H * (nope + rope), c.q_lora_rank),
                kv_a_proj_with_mqa=(c.kv_lora_rank + rope, E),
                kv_a_layernorm=(c.kv_lora_rank,),
                kv_b_proj=(H * (nope + v), c.kv_lora_rank),
                g_proj=(H * v, E), o_proj=(E, H * v))
        else:
            for x in "qkv":
                add(a, **{x + "_proj": (P, E), x + "_conv1d": (P, 1, 4)})
            add(a, g_proj=(P, E), f_a_proj=(D, E), f_b_proj=(P, D),
                b_proj=(c.kda_heads, E), o_norm=(D,), o_proj=(E, P))
            add(a, "", A_log=(D,), dt_bias=(P,))
        if i < c.first_k_dense_replace:
            add(p + "mlp.", gate_proj=(c.intermediate_size, E),
                up_proj=(c.intermediate_size, E),
                down_proj=(E, c.intermediate_size))
            continue
        m, shared = p + "block_sparse_moe.", c.num_shared_experts * moe
        add(m, gate=(c.num_experts, E), routed_expert_down_proj=(latent, E),
            routed_expert_norm=(latent,), routed_expert_up_proj=(E, latent),
            shared_experts__gate_proj=(shared, E),
            shared_experts__up_proj=(shared, E),
            shared_experts__down_proj=(E, shared))
        add(m, "", gate__e_score_correction_bias=(c.num_experts,))
        for e in range(c.num_experts):
            for w, rows, columns in (("w1", moe, latent), ("w2", latent, moe),
                                     ("w3", moe, latent)):
                add(f"{m}experts.{e}.{w}.weight_", "",
                    packed=(rows, columns // 2), scale=(rows, columns // 32))
    return t
