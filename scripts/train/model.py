"""Kimi K3's forward pass in training form. Projections of one input are one
fused matrix here; export.py parts them."""

import math

import torch
from torch import nn
import torch.nn.functional as F

import kda
from moe import GatedFFN, MoE
from parts import AttnRes, Conv, Dropout, Norm, linear, reciprocal


class KDA(nn.Module):
    def __init__(self, c):
        super().__init__()
        la = c["linear_attn_config"]
        self.H, self.D = la["num_heads"], la["head_dim"]
        self.bound = la["gate_lower_bound"]
        E, P = c["hidden_size"], self.H * self.D
        self.qkv = linear(E, 3 * P)
        self.gfb = linear(E, P + self.D + self.H)
        self.f_b = linear(self.D, P)
        self.conv = nn.Parameter(torch.randn(4, 3 * P) * 0.3)
        self.A_log = nn.Parameter(torch.zeros(self.H))
        # Decays from 0.997 to 0.37 a token, evenly in the logarithm.
        rate = torch.exp(torch.linspace(math.log(.003), 0, self.D)) / 5
        rate = torch.log(rate / (1 - rate))
        self.dt_bias = nn.Parameter(rate.repeat(self.H))
        self.o_norm = Norm(self.D)
        self.o = linear(P, E)

    def heads(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.H, -1).transpose(1, 2).reshape(
            B * self.H, T, -1)

    def forward(self, x):
        B, T, _ = x.shape
        H, D, P = self.H, self.D, self.H * self.D
        y = Conv.apply(self.qkv(x), self.conv)
        q, k, v = (self.heads(t) for t in F.silu(y).split(P, -1))
        q = q * (torch.rsqrt((q * q).sum(-1, keepdim=True) + 1e-6) * D ** -.5)
        k = k * torch.rsqrt((k * k).sum(-1, keepdim=True) + 1e-6)
        gate, f, b = self.gfb(x).split([P, D, H], -1)
        A = self.A_log.exp().repeat_interleave(D)
        g = self.bound * torch.sigmoid(A * (self.f_b(f) + self.dt_bias))
        beta = self.heads(torch.sigmoid(b)).squeeze(-1)
        o = kda.chunked(q, k, v, self.heads(g), beta)
        o = self.o_norm(o).view(B, H, T, D).transpose(1, 2).reshape(B, T, P)
        return self.o(o * torch.sigmoid(gate))


class MLA(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.H, self.n = c["num_attention_heads"], c["qk_nope_head_dim"]
        self.r, self.v = c["qk_rope_head_dim"], c["v_head_dim"]
        self.ql, self.kl = c["q_lora_rank"], c["kv_lora_rank"]
        E, V = c["hidden_size"], self.H * self.v
        self.a = linear(E, self.ql + self.kl + self.r + V)
        self.q_norm, self.kv_norm = Norm(self.ql, 1e-6), Norm(self.kl, 1e-6)
        self.q_b = linear(self.ql, self.H * (self.n + self.r))
        self.kv_b = linear(self.kl, self.H * (self.n + self.v))
        self.o = linear(V, E)

    def forward(self, x):
        B, T, _ = x.shape
        H = self.H
        q, c, rot, gate = self.a(x).split(
            [self.ql, self.kl, self.r, H * self.v], -1)
        q = self.q_b(self.q_norm(q)).view(B, T, H, -1).transpose(1, 2)
        kv = self.kv_b(self.kv_norm(c)).view(B, T, H, -1).transpose(1, 2)
        k, v = kv.split([self.n, self.v], -1)
        k = torch.cat([k, rot.unsqueeze(1).expand(B, H, T, self.r)], -1)
        score = q @ k.transpose(2, 3) * (self.n + self.r) ** -0.5
        mask = torch.full((T, T), -math.inf).triu(1)
        o = torch.softmax(score + mask, -1) @ v
        o = o.transpose(1, 2).reshape(B, T, -1)
        return self.o(o * torch.sigmoid(gate))


class Layer(nn.Module):
    def __init__(self, c, i):
        super().__init__()
        E = c["hidden_size"]
        full = i + 1 in c["linear_attn_config"]["full_attn_layers"]
        self.attn_res, self.ffn_res = AttnRes(E), AttnRes(E)
        self.attn_norm, self.ffn_norm = Norm(E), Norm(E)
        self.attn = MLA(c) if full else KDA(c)
        dense = i < c["first_k_dense_replace"]
        self.ffn = (GatedFFN(c, c["intermediate_size"], linear) if dense
                    else MoE(c, linear, Norm))


class K3(nn.Module):
    def __init__(self, c, dropout=0.0):
        super().__init__()
        self.c, self.drop = c, Dropout(dropout)
        E = c["hidden_size"]
        self.embed = nn.Embedding(c["vocab_size"], E)
        nn.init.normal_(self.embed.weight, std=0.1)
        self.layers = nn.ModuleList(
            Layer(c, i) for i in range(c["num_hidden_layers"]))
        self.out_res, self.norm = AttnRes(E), Norm(E)
        self.head = linear(E, c["vocab_size"])

    def forward(self, ids):
        """ids [B, T], T a multiple of kda.CHUNK -> logits [B, T, vocab]."""
        p = self.embed(ids)
        B = []
        for i, layer in enumerate(self.layers):
            y = layer.attn_res(B, p) if B else p
            fresh = i % self.c["attn_res_block_size"] == 0
            if fresh:
                B = B + [(p, reciprocal(p))]
            a = self.drop(layer.attn(layer.attn_norm(y)))
            p = a if fresh else p + a
            y = layer.ffn_res(B, p)
            p = p + self.drop(layer.ffn(layer.ffn_norm(y)))
        return self.head(self.norm(self.out_res(B, p)))
