#!/usr/bin/python3
"""Write a small random model of odd sizes: scratch.py DIR [SEED]

For selfcheck.py and wrong.py alone; the toy models of the tests are not made
here. Weights are large enough for every non-linearity to bend, rms_norm_eps
for its absence to show.
"""
import json
import os
import sys

import numpy as np

from config import FIXED, GROUP, Config, shapes

FREE = {
    "hidden_size": 48, "num_hidden_layers": 5, "vocab_size": 97,
    "rms_norm_eps": 3e-3, "intermediate_size": 70, "activation_situ_beta": 4.0,
    "activation_situ_linear_beta": 5.0, "num_attention_heads": 2,
    "q_lora_rank": 18, "kv_lora_rank": 14, "qk_nope_head_dim": 12,
    "qk_rope_head_dim": 6, "v_head_dim": 10, "num_experts": 8,
    "num_experts_per_token": 3, "num_shared_experts": 2,
    "moe_intermediate_size": 32, "routed_expert_hidden_size": 64,
    "routed_scaling_factor": 1.5, "first_k_dense_replace": 2,
    "attn_res_block_size": 2, "max_position_embeddings": 4096,
    "eos_token_id": 96, "bos_token_id": 95, "pad_token_id": 94,
    "linear_attn_config.full_attn_layers": [2, 5],
    "linear_attn_config.kda_layers": [1, 3, 4],
    "linear_attn_config.num_heads": 3, "linear_attn_config.head_dim": 20,
    "linear_attn_config.gate_lower_bound": -5.0,
    "quantization_config.config_groups.group_0.weights": GROUP,
}


def config():
    text = {}
    for path, v in {**FREE, **FIXED}.items():
        *folders, last = path.split(".")
        at = text
        for key in folders:
            at = at.setdefault(key, {})
        at[last] = v
    return {"text_config": text}


def values(name, shape, c, rng):
    if name.endswith("A_log"):
        a = np.zeros(shape)
        a[:c.kda_heads] = rng.normal(0, 0.7, c.kda_heads)
        return a
    if name.endswith(("dt_bias", "score_correction_bias")):
        return rng.normal(-1 if "dt" in name else 0, 0.3, shape)
    if "norm" in name:
        return rng.normal(1, 0.3, shape)
    if "conv1d" in name:
        return rng.normal(0, 0.6, shape)
    if "embed" in name:
        return rng.normal(0, 0.5, shape)
    return rng.normal(0, 1.5 / np.sqrt(shape[-1]), shape)


def encode(name, shape, c, rng):
    if ".weight_packed" in name:
        return "U8", rng.integers(0, 256, shape, "u1")
    if ".weight_scale" in name:
        return "U8", rng.integers(120, 125, shape, "u1")
    a = values(name, shape, c, rng).astype("<f4")
    if name.endswith(("A_log", "dt_bias", "o_norm.weight", "correction_bias")) \
            or "conv1d" in name:
        return "F32", a
    return "BF16", (a.view("<u4") >> 16).astype("<u2")


def write(path, names, tensors):
    head, at = {"__metadata__": {"note": "scratch"}}, 0
    for name in names:
        dtype, a = tensors[name]
        head[name] = {"dtype": dtype, "shape": list(a.shape),
                      "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    head = json.dumps(head).encode()
    with open(path, "wb") as f:
        f.write(len(head).to_bytes(8, "little") + head)
        for name in names:
            f.write(tensors[name][1].tobytes())


def main(out, seed="1"):
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "config.json")
    with open(path, "w") as f:
        json.dump(config(), f, indent=1)
    c, rng = Config(path), np.random.default_rng(int(seed))
    tensors = {name: encode(name, shape, c, rng)
               for name, shape in shapes(c).items()}
    names = list(tensors)
    rng.shuffle(names)                  # any tensor in any file, in any order
    for s in range(3):
        write(os.path.join(out, f"model-0000{s + 1}-of-000003.safetensors"),
              names[s::3], tensors)


if __name__ == "__main__":
    main(*sys.argv[1:])
