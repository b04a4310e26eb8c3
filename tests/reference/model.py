"""The forward pass of k3.md 4, read as literally as possible, in float64.

Nothing is cached, absorbed or done in chunks: run() takes a whole sequence,
expands every K and V, walks KDA's recurrence position by position and head by
head, and keeps the snapshots in a list. Names are those of k3.md.
"""
import os

import numpy as np

from checkpoint import Checkpoint
from config import Config, shapes


def rms(x, w, eps):
    return x * (1 / np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + eps)) * w


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))         # no overflow at either end


def silu(x):
    return x * sigmoid(x)


def softmax(x):
    e = np.exp(x - np.max(x, axis=0))
    return e / np.sum(e, axis=0)


class Model:
    def __init__(self, directory):
        self.c = Config(os.path.join(directory, "config.json"))
        self.tensors = Checkpoint(directory, shapes(self.c))
        self.kept = {}

    def w(self, name, read=None):
        """A weight of layer self.i, or of the model where name says so."""
        if not name.startswith("language_model."):
            name = f"language_model.model.layers.{self.i}.{name}"
        if name not in self.kept:
            self.kept[name] = (read or self.tensors)(name)
        return self.kept[name]

    def project(self, name, x):
        return x @ self.w(name + ".weight").T

    def rms(self, name, x, eps=None):
        return rms(x, self.w(name + ".weight"), eps or self.c.rms_norm_eps)

    def run(self, ids):
        """Logits [position][vocab], hidden [layer][position][2][E], and routes:
        (layer, position, experts rising, weights, margin)."""
        c, m = self.c, "language_model.model."
        p = self.w(m + "embed_tokens.weight")[ids]
        B, hidden, self.routes = [], [], []
        for i in range(c.num_hidden_layers):
            self.i = i
            y = self.attnres(B, p, "self_attention_res") if B else p
            if i % c.attn_res_block_size == 0:
                B.append(p)
                p = None
            attention = self.mla if i in c.mla_layers else self.kda
            a = attention(self.rms("input_layernorm", y))
            p = a if p is None else p + a
            y = self.attnres(B, p, "mlp_res")
            ffn = self.dense if i < c.first_k_dense_replace else self.moe
            x = self.rms("post_attention_layernorm", y)
            p = p + ffn(x)
            hidden.append(np.stack([x, p], axis=1))
        y = self.attnres(B, p, m + "output_attn_res")
        logits = self.project("language_model.lm_head", self.rms(m + "norm", y))
        return logits, np.array(hidden), self.routes

    def attnres(self, B, p, name):
        sources = np.array(B + [p])             # [source][position][E]
        key = rms(sources, 1, self.c.rms_norm_eps)
        norm = self.w(name + "_norm.weight")
        proj = self.w(name + "_proj.weight")[0]
        score = np.sum(key * norm * proj, axis=-1)
        return np.sum(softmax(score)[:, :, None] * sources, axis=0)

    def conv(self, name, x):
        tap = self.w(name + ".weight")[:, 0, :]         # [channel][4]
        out = np.zeros_like(x)
        for t in range(len(x)):
            for j in range(4):                          # tap 3 is the newest
                if t - 3 + j >= 0:
                    out[t] += tap[:, j] * x[t - 3 + j]
        return out

    def kda(self, x):
        c, n = self.c, "self_attn."
        heads, D, T = c.kda_heads, c.kda_dim, len(x)
        q, k, v = (self.conv(f"{n}{s}_conv1d", self.project(f"{n}{s}_proj", x))
                   for s in "qkv")
        q, k, v = (silu(y).reshape(T, heads, D) for y in (q, k, v))
        q = q / np.sqrt(np.sum(q ** 2, axis=-1, keepdims=True) + 1e-6)
        q = q * D ** -0.5
        k = k / np.sqrt(np.sum(k ** 2, axis=-1, keepdims=True) + 1e-6)
        beta = sigmoid(self.project(n + "b_proj", x))   # [position][head]
        f = self.project(n + "f_b_proj", self.project(n + "f_a_proj", x))
        f = (f + self.w(n + "dt_bias")).reshape(T, heads, D)
        A = np.exp(self.w(n + "A_log")[:heads])         # the rest is padding
        decay = np.exp(c.gate_lower_bound * sigmoid(A[:, None] * f))
        o = np.empty((T, heads, D))
        for h in range(heads):
            S = np.zeros((D, D))                        # [key][value]
            for t in range(T):
                S = S * decay[t, h][:, None]
                u = S.T @ k[t, h]
                S = S + np.outer(k[t, h], beta[t, h] * (v[t, h] - u))
                o[t, h] = S.T @ q[t, h]
        o = self.rms(n + "o_norm", o).reshape(T, -1)
        gate = sigmoid(self.project(n + "g_proj", x))
        return self.project(n + "o_proj", o * gate)

    def mla(self, x):
        c, n = self.c, "self_attn."
        nope, rope, D = c.qk_nope_head_dim, c.qk_rope_head_dim, c.v_head_dim
        H, T = c.num_attention_heads, len(x)
        q = self.rms(n + "q_a_layernorm", self.project(n + "q_a_proj", x), 1e-6)
        q = self.project(n + "q_b_proj", q).reshape(T, H, nope + rope)
        latent, k_rot = np.split(self.project(n + "kv_a_proj_with_mqa", x),
                                 [c.kv_lora_rank], axis=-1)
        latent = self.rms(n + "kv_a_layernorm", latent, 1e-6)
        kv = self.project(n + "kv_b_proj", latent).reshape(T, H, nope + D)
        o = np.empty((T, H, D))
        for h in range(H):
            k = np.concatenate([kv[:, h, :nope], k_rot], axis=-1)
            for t in range(T):
                score = k[:t + 1] @ q[t, h] / np.sqrt(nope + rope)
                o[t, h] = softmax(score) @ kv[:t + 1, h, nope:]
        gate = sigmoid(self.project(n + "g_proj", x))
        return self.project(n + "o_proj", o.reshape(T, -1) * gate)

    def situ(self, a, b):
        b1, b2 = self.c.activation_situ_beta, self.c.activation_situ_linear_beta
        return b1 * np.tanh(a / b1) * sigmoid(a) * b2 * np.tanh(b / b2)

    def dense(self, x, n="mlp."):
        g, u = self.project(n + "gate_proj", x), self.project(n + "up_proj", x)
        return self.project(n + "down_proj", self.situ(g, u))

    def moe(self, x):
        c, n, K = self.c, "block_sparse_moe.", self.c.num_experts_per_token
        s = sigmoid(self.project(n + "gate", x))
        choice = s + self.w(n + "gate.e_score_correction_bias")
        z = self.project(n + "routed_expert_down_proj", x)
        r = np.zeros_like(z)
        for t in range(len(x)):
            order = np.argsort(-choice[t], kind="stable")   # ties: lower index
            picked = np.sort(order[:K])
            weight = s[t, picked] / (np.sum(s[t, picked]) + 1e-20)
            weight = weight * c.routed_scaling_factor
            for e, we in zip(picked, weight):
                w1, w2, w3 = (self.w(f"{n}experts.{e}.{j}", self.tensors.mxfp4)
                              for j in ("w1", "w2", "w3"))
                r[t] += we * (w2 @ self.situ(w1 @ z[t], w3 @ z[t]))
            margin = (choice[t, order[K - 1]] - choice[t, order[K]]
                      if K < c.num_experts else np.inf)
            self.routes.append((self.i, t, picked, weight, margin))
        r = self.rms(n + "routed_expert_norm", r)
        shared = self.dense(x, n + "shared_experts.")
        return self.project(n + "routed_expert_up_proj", r) + shared
