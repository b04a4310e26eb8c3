"""The released tensor names, as views of the training model's parameters, and
safetensors files in the released order and padding."""

import json
import struct

import numpy as np
import torch

import mxfp4
from moe import MoE

DTYPES = {"F32": np.float32, "BF16": np.uint16, "U8": np.uint8}


def views(model):
    """Yields (name without .weight, view of a parameter, kind); kind is F32,
    BF16 or MXFP4. Writing into the views fills the model."""
    lm = "language_model."
    yield lm + "lm_head", model.head.weight, "BF16"
    yield lm + "model.embed_tokens", model.embed.weight, "BF16"
    yield lm + "model.norm", model.norm.weight, "BF16"
    yield lm + "model.output_attn_res_norm", model.out_res.norm, "BF16"
    yield lm + "model.output_attn_res_proj", model.out_res.proj[None], "BF16"
    for i, layer in enumerate(model.layers):
        at = lm + "model.layers.%d." % i
        for name, view in layer_views(layer):
            yield at + name, view, "BF16"
        a = layer.attn
        if hasattr(a, "A_log"):
            s, P = at + "self_attn.", a.H * a.D
            yield s + "A_log", a.A_log, "F32"
            yield s + "dt_bias", a.dt_bias, "F32"
            yield s + "o_norm", a.o_norm.weight, "F32"
            for j, conv in enumerate(("q_conv1d", "k_conv1d", "v_conv1d")):
                taps = a.conv[:, j * P:(j + 1) * P]     # [4][P]
                yield s + conv, taps.t().unsqueeze(1), "F32"
        if isinstance(layer.ffn, MoE):
            s, f = at + "block_sparse_moe.", layer.ffn
            yield s + "gate.e_score_correction_bias", f.bias, "F32"
            for e in range(len(f.bias)):
                w1, w3 = f.w13[e].chunk(2)
                for name, w in (("w1", w1), ("w2", f.w2[e]), ("w3", w3)):
                    yield s + "experts.%d.%s" % (e, name), w, "MXFP4"


def layer_views(layer):
    """The bf16 tensors of a layer; fused projections are parted here."""
    a, f, s = layer.attn, layer.ffn, "self_attn."
    yield "input_layernorm", layer.attn_norm.weight
    yield "post_attention_layernorm", layer.ffn_norm.weight
    yield "self_attention_res_norm", layer.attn_res.norm
    yield "self_attention_res_proj", layer.attn_res.proj[None]
    yield "mlp_res_norm", layer.ffn_res.norm
    yield "mlp_res_proj", layer.ffn_res.proj[None]
    yield s + "o_proj", a.o.weight
    if hasattr(a, "A_log"):
        P = a.H * a.D
        parts = a.qkv.weight.split(P) + a.gfb.weight.split([P, a.D, a.H])
        names = ("q_proj", "k_proj", "v_proj", "g_proj", "f_a_proj", "b_proj")
        yield s + "f_b_proj", a.f_b.weight
    else:
        parts = a.a.weight.split([a.ql, a.kl + a.r, a.H * a.v])
        names = ("q_a_proj", "kv_a_proj_with_mqa", "g_proj")
        yield s + "q_a_layernorm", a.q_norm.weight
        yield s + "q_b_proj", a.q_b.weight
        yield s + "kv_a_layernorm", a.kv_norm.weight
        yield s + "kv_b_proj", a.kv_b.weight
    for name, part in zip(names, parts):
        yield s + name, part
    at = "mlp."
    if isinstance(f, MoE):
        at = "block_sparse_moe."
        yield at + "gate", f.gate.weight
        yield at + "routed_expert_down_proj", f.down.weight
        yield at + "routed_expert_norm", f.norm.weight
        yield at + "routed_expert_up_proj", f.up.weight
        f, at = f.shared, at + "shared_experts."
    gate, up = f.gate_up.weight.chunk(2)
    yield at + "gate_proj", gate
    yield at + "up_proj", up
    yield at + "down_proj", f.down.weight


BARE = ("A_log", "dt_bias", "e_score_correction_bias")


@torch.no_grad()
def save(model, path):
    out = {}
    for name, w, kind in views(model):
        w = w.contiguous()
        if kind == "MXFP4":
            packed, scale = mxfp4.pack(w)
            out[name + ".weight_packed"] = "U8", packed.numpy()
            out[name + ".weight_scale"] = "U8", scale.numpy()
            continue
        if name.endswith("A_log"):
            # One value a head, padded with zeros to head_dim.
            head_dim = model.c["linear_attn_config"]["head_dim"]
            w = torch.cat([w, torch.zeros(head_dim - len(w))])
        if not name.endswith(BARE):
            name += ".weight"
        if kind == "BF16":
            w = w.to(torch.bfloat16).view(torch.int16)
        out[name] = kind, w.numpy()
    order = sorted(out, key=lambda n: (list(DTYPES).index(out[n][0]), n))
    header, at = {}, 0
    for name in order:
        kind, data = out[name]
        header[name] = {"dtype": kind, "shape": list(data.shape),
                        "data_offsets": [at, at + data.nbytes]}
        at += data.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for name in order:
            f.write(out[name][1].tobytes())


def read(path):
    """Returns name -> array; bf16 is widened to float32."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    out = {}
    for name, t in header.items():
        x = np.frombuffer(data[slice(*t["data_offsets"])], DTYPES[t["dtype"]])
        if t["dtype"] == "BF16":
            x = (x.astype(np.uint32) << 16).view(np.float32)
        out[name] = x.reshape(t["shape"])
    return out


@torch.no_grad()
def load(model, path):
    """Fills the model from the file; the experts come dequantised."""
    file = {n: torch.tensor(x) for n, x in read(path).items()}
    for name, w, kind in views(model):
        if kind == "MXFP4":
            x = mxfp4.unpack(file.pop(name + ".weight_packed"),
                             file.pop(name + ".weight_scale"))
        else:
            x = file.pop(name + ("" if name.endswith(BARE) else ".weight"))
        w.copy_(x[:len(w)] if name.endswith("A_log") else x)
    for f in model.modules():
        if isinstance(f, MoE):
            f.quantized = False
    return file     # what nobody asked for
