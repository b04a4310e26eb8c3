"""K3's forward pass a second time: from the file, one token at a time, in
numpy and float64, with nothing of the training model. A check, not a tool."""

import numpy as np

import weights

VALUES = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
VALUES = np.concatenate([VALUES, -VALUES])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Reference:
    def __init__(self, c, path):
        self.c, self.t, self.wide = c, weights.read(path), {}
        self.state = [{} for _ in range(c["num_hidden_layers"])]

    def w(self, name):
        if name not in self.wide:
            self.wide[name] = self.t["language_model." + name].astype(float)
        return self.wide[name]

    def rms(self, x, name, eps=None):
        eps = self.c["rms_norm_eps"] if eps is None else eps
        mean = np.mean(x * x, -1, keepdims=True)
        return x / np.sqrt(mean + eps) * self.w(name + ".weight")

    def situ(self, a, b):
        b1 = self.c["activation_situ_beta"]
        b2 = self.c["activation_situ_linear_beta"]
        return b1 * np.tanh(a / b1) * sigmoid(a) * b2 * np.tanh(b / b2)

    def attnres(self, B, p, name):
        query = self.w(name + "_norm.weight")
        query = query * self.w(name + "_proj.weight")[0]
        x = np.array(B + [p])
        r = 1 / np.sqrt((x * x).mean(-1) + self.c["rms_norm_eps"])
        return softmax((x * query).sum(-1) * r) @ x

    def kda(self, x, at, s):
        la = self.c["linear_attn_config"]
        H, D = la["num_heads"], la["head_dim"]
        heads = []
        for n in "qkv":
            new = self.w(at + n + "_proj.weight") @ x
            last = s.setdefault(n, [np.zeros(H * D)] * 3)
            taps = self.w(at + n + "_conv1d.weight")[:, 0]
            y = sum(taps[:, j] * z for j, z in enumerate(last + [new]))
            s[n] = last[1:] + [new]
            heads.append((y * sigmoid(y)).reshape(H, D))
        q, k, v = heads
        q = q / np.sqrt((q * q).sum(1, keepdims=True) + 1e-6) * D ** -.5
        k = k / np.sqrt((k * k).sum(1, keepdims=True) + 1e-6)
        beta = sigmoid(self.w(at + "b_proj.weight") @ x)
        f = (self.w(at + "f_b_proj.weight") @ (self.w(at + "f_a_proj.weight")
             @ x) + self.w(at + "dt_bias")).reshape(H, D)
        A = np.exp(self.w(at + "A_log")[:H, None])
        decay = np.exp(la["gate_lower_bound"] * sigmoid(A * f))
        S = s.setdefault("S", np.zeros((H, D, D)))
        o = np.zeros((H, D))
        for h in range(H):
            S[h] *= decay[h][:, None]
            u = S[h].T @ k[h]
            S[h] += np.outer(k[h], beta[h] * (v[h] - u))
            o[h] = S[h].T @ q[h]
        o = self.rms(o, at + "o_norm").flatten()
        gate = sigmoid(self.w(at + "g_proj.weight") @ x)
        return self.w(at + "o_proj.weight") @ (o * gate)

    def mla(self, x, at, s):
        c = self.c
        H, n = c["num_attention_heads"], c["qk_nope_head_dim"]
        L, r, v = c["kv_lora_rank"], c["qk_rope_head_dim"], c["v_head_dim"]
        q = self.rms(self.w(at + "q_a_proj.weight") @ x,
                     at + "q_a_layernorm", 1e-6)
        q = (self.w(at + "q_b_proj.weight") @ q).reshape(H, n + r)
        a = self.w(at + "kv_a_proj_with_mqa.weight") @ x
        latent = self.rms(a[:L], at + "kv_a_layernorm", 1e-6)
        s.setdefault("kv", []).append(np.concatenate([latent, a[L:]]))
        kv = np.array(s["kv"])
        wkv = self.w(at + "kv_b_proj.weight").reshape(H, n + v, L)
        o = []
        for h in range(H):
            key = kv[:, :L] @ wkv[h, :n].T
            score = key @ q[h, :n] + kv[:, L:] @ q[h, n:]
            prob = softmax(score / np.sqrt(n + r))
            o.append(prob @ (kv[:, :L] @ wkv[h, n:].T))
        gate = sigmoid(self.w(at + "g_proj.weight") @ x)
        return self.w(at + "o_proj.weight") @ (np.concatenate(o) * gate)

    def gated(self, x, at):
        a = self.w(at + "gate_proj.weight") @ x
        b = self.w(at + "up_proj.weight") @ x
        return self.w(at + "down_proj.weight") @ self.situ(a, b)

    def expert(self, name):
        if name not in self.wide:
            packed = self.t["language_model." + name + "_packed"]
            scale = self.w(name + "_scale") - 127
            codes = np.stack([packed & 15, packed >> 4], -1)
            codes = codes.reshape(len(packed), -1)
            self.wide[name] = VALUES[codes] * np.repeat(2 ** scale, 32, 1)
        return self.wide[name]

    def moe(self, x, at):
        s = sigmoid(self.w(at + "gate.weight") @ x)
        order = np.argsort(-(s + self.w(at + "gate.e_score_correction_bias")),
                           kind="stable")[:self.c["num_experts_per_token"]]
        z, r = self.w(at + "routed_expert_down_proj.weight") @ x, 0
        for e in order:
            w1, w2, w3 = (self.expert(at + "experts.%d.w%d.weight" % (e, j))
                          for j in (1, 2, 3))
            r = r + s[e] / (s[order].sum() + 1e-20) * (
                w2 @ self.situ(w1 @ z, w3 @ z))
        r = self.rms(r * self.c["routed_scaling_factor"],
                     at + "routed_expert_norm")
        return (self.w(at + "routed_expert_up_proj.weight") @ r
                + self.gated(x, at + "shared_experts."))

    def step(self, token):
        c = self.c
        p, B = self.w("model.embed_tokens.weight")[token], []
        for i, s in enumerate(self.state):
            at = "model.layers.%d." % i
            y = self.attnres(B, p, at + "self_attention_res") if B else p
            if i % c["attn_res_block_size"] == 0:
                B, p = B + [p], 0
            full = i + 1 in c["linear_attn_config"]["full_attn_layers"]
            x = self.rms(y, at + "input_layernorm")
            p = p + (self.mla if full else self.kda)(x, at + "self_attn.", s)
            x = self.rms(self.attnres(B, p, at + "mlp_res"),
                         at + "post_attention_layernorm")
            p = p + (self.gated(x, at + "mlp.")
                     if i < c["first_k_dense_replace"]
                     else self.moe(x, at + "block_sparse_moe."))
        y = self.attnres(B, p, "model.output_attn_res")
        return self.w("lm_head.weight") @ self.rms(y, "model.norm")
