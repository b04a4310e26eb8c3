"""The demo's config.json, in the released nested form."""

from bpe import RANKS, SPECIALS

LAYERS = 8
FULL = [4, 8]
IDS = {"bos_token_id": RANKS, "eos_token_id": RANKS + 2,
       "pad_token_id": RANKS + SPECIALS - 1}

TEXT = {
    **IDS,
    "activation_situ_beta": 4.0,
    "activation_situ_linear_beta": 25.0,
    "architectures": ["KimiLinearForCausalLM"],
    "attn_res_block_size": 4,
    "dtype": "bfloat16",
    "first_k_dense_replace": 1,
    "hidden_act": "situ",
    "hidden_size": 192,
    "intermediate_size": 512,
    "kv_lora_rank": 64,
    "latent_moe_use_norm": True,
    "linear_attn_config": {
        "full_attn_layers": FULL,
        "gate_lower_bound": -5.0,
        "head_dim": 64,
        "kda_layers": [i for i in range(1, LAYERS + 1) if i not in FULL],
        "num_heads": 3,
        "short_conv_kernel_size": 4,
        "use_full_rank_gate": True,
    },
    "max_position_embeddings": 1048576,
    "mla_use_nope": True,
    "mla_use_output_gate": True,
    "model_type": "kimi_linear",
    "moe_intermediate_size": 64,
    "moe_layer_freq": 1,
    "moe_renormalize": True,
    "moe_router_activation_func": "sigmoid",
    "num_attention_heads": 3,
    "num_expert_group": 1,
    "num_experts": 32,
    "num_experts_per_token": 4,
    "num_hidden_layers": LAYERS,
    "num_key_value_heads": 3,
    "num_nextn_predict_layers": 0,
    "num_shared_experts": 2,
    "q_lora_rank": 96,
    "qk_nope_head_dim": 48,
    "qk_rope_head_dim": 16,
    "quantization_config": {
        "config_groups": {"group_0": {
            "format": "mxfp4-pack-quantized",
            "input_activations": None,
            "output_activations": None,
            "targets": ["Linear"],
            "weights": {
                "dynamic": False, "group_size": 32, "num_bits": 4,
                "observer": "minmax", "scale_dtype": "torch.uint8",
                "strategy": "group", "symmetric": True, "type": "float",
            },
        }},
        "format": "mxfp4-pack-quantized",
        "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*",
                   "re:.*mlp\\.(gate|up|gate_up|down)_proj.*",
                   "re:.*lm_head.*"],
        "quant_method": "compressed-tensors",
        "quantization_status": "compressed",
    },
    "rms_norm_eps": 1e-05,
    "routed_expert_hidden_size": 96,
    "routed_scaling_factor": 1.0,
    "tie_word_embeddings": False,
    "topk_group": 1,
    "topk_method": "noaux_tc",
    "v_head_dim": 64,
    "vocab_size": RANKS + SPECIALS,
}

CONFIG = {
    "architectures": ["KimiK3ForConditionalGeneration"],
    **IDS,
    "dtype": "bfloat16",
    "model_type": "kimi_k3",
    "text_config": TEXT,
    "tie_word_embeddings": False,
}
