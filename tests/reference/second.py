"""A second formulation of k3.md 4, for selfcheck.py.

It shares the weights with model.py and nothing else: torch's primitives, any
number of positions at a time with the states carried on, kv_b_proj absorbed,
a running softmax over blocks of latents, KDA in chunks by solving a triangular
system, experts one by one over all positions that picked them.
"""
import torch
import torch.nn.functional as F

BLOCK = 5               # latents in a block of the running softmax


def rms(x, w, eps):
    return w * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)


class Second:
    def __init__(self, model):
        self.c, self.model = model.c, model
        self.conv, self.S, self.latents = {}, {}, {}

    def w(self, name, read=None):
        self.model.i = self.i
        return torch.from_numpy(self.model.w(name, read))

    def lin(self, name, x):
        return F.linear(x, self.w(name + ".weight"))

    def norm(self, name, x, eps=None):
        return rms(x, self.w(name + ".weight"), eps or self.c.rms_norm_eps)

    def feed(self, ids):
        c, top = self.c, "language_model.model."
        self.i = 0
        p = F.embedding(torch.tensor(ids), self.w(top + "embed_tokens.weight"))
        B, hidden = torch.empty(len(ids), 0, c.hidden_size).double(), []
        for self.i in range(c.num_hidden_layers):
            y = self.mix(B, p, "self_attention_res") if self.i > 0 else p
            if self.i % c.attn_res_block_size == 0:
                B = torch.cat([B, p[:, None]], 1)
                p = torch.zeros_like(p)
            y = self.norm("input_layernorm", y)
            p = p + (self.mla(y) if self.i in c.mla_layers else self.kda(y))
            x = self.norm("post_attention_layernorm", self.mix(B, p, "mlp_res"))
            p = p + (self.ffn("mlp.", x) if self.i < c.first_k_dense_replace
                     else self.moe("block_sparse_moe.", x))
            hidden.append(torch.stack([x, p], 1))
        y = self.norm(top + "norm", self.mix(B, p, top + "output_attn_res"))
        return self.lin("language_model.lm_head", y), torch.stack(hidden)

    def mix(self, B, p, name):
        s = torch.cat([B, p[:, None]], 1)               # [position][source][E]
        query = self.w(name + "_norm.weight") * self.w(name + "_proj.weight")[0]
        length = (s.pow(2).mean(-1) + self.c.rms_norm_eps).sqrt()
        prob = torch.softmax((s @ query) / length, -1)
        return torch.einsum("tse,ts->te", s, prob)

    def short(self, name, x):
        """The convolution, with the last three inputs carried on."""
        old = self.conv.get((self.i, name), x.new_zeros(3, x.shape[1]))
        x = torch.cat([old, x])
        self.conv[self.i, name] = x[-3:]
        w = self.w(f"self_attn.{name}_conv1d.weight")
        y = F.conv1d(x.T[None], w, groups=x.shape[1])[0].T
        return F.silu(y).reshape(len(y), -1, self.c.kda_dim).transpose(0, 1)

    def kda(self, x):
        c, n, D, T = self.c, "self_attn.", self.c.kda_dim, len(x)
        q, k, v = (self.short(s, self.lin(f"{n}{s}_proj", x)) for s in "qkv")
        q = q * torch.rsqrt((q * q).sum(-1, True) + 1e-6) / D ** .5
        k = k * torch.rsqrt((k * k).sum(-1, True) + 1e-6)
        beta = torch.sigmoid(self.lin(n + "b_proj", x)).T[:, :, None]
        f = self.lin(n + "f_b_proj", self.lin(n + "f_a_proj", x))
        f = (f + self.w(n + "dt_bias")).reshape(T, -1, D).transpose(0, 1)
        A = torch.exp(self.w(n + "A_log")[:c.kda_heads])[:, None, None]
        G = torch.cumsum(c.gate_lower_bound * torch.sigmoid(A * f), 1)
        # With S_t = exp(G_t) (S_0 + sum_s<=t k_s exp(-G_s) (beta_s d_s)^T),
        # d_t = v_t - u_t: d solves (1 + L) d = v - (k exp(G)) S_0.
        S = self.S.get(self.i, x.new_zeros(c.kda_heads, D, D))
        up, down = k * G.exp(), k * (-G).exp()
        L = (up @ down.mT * beta.mT).tril(-1) + torch.eye(T).double()
        d = beta * torch.linalg.solve(L, v - up @ S)
        qg = q * G.exp()
        o = qg @ S + (qg @ down.mT).tril() @ d
        last = G[:, -1:].exp()
        self.S[self.i] = last.mT * (S + down.mT @ d)
        o = self.norm(n + "o_norm", o).transpose(0, 1).reshape(T, -1)
        gate = torch.sigmoid(self.lin(n + "g_proj", x))
        return self.lin(n + "o_proj", gate * o)

    def mla(self, x):
        c, n, H = self.c, "self_attn.", self.c.num_attention_heads
        N, R, T = c.qk_nope_head_dim, c.kv_lora_rank, len(x)
        q = self.norm(n + "q_a_layernorm", self.lin(n + "q_a_proj", x), 1e-6)
        q = self.lin(n + "q_b_proj", q).reshape(T, H, -1).transpose(0, 1)
        kv = self.lin(n + "kv_a_proj_with_mqa", x)
        kv = torch.cat([self.norm(n + "kv_a_layernorm", kv[:, :R], 1e-6),
                        kv[:, R:]], 1)
        kv = torch.cat([self.latents.get(self.i, kv[:0]), kv])
        self.latents[self.i] = kv
        up = self.w(n + "kv_b_proj.weight").reshape(H, -1, R)
        q = torch.cat([q[..., :N] @ up[:, :N], q[..., N:]], -1)
        score = q @ kv.T / (c.qk_nope_head_dim + c.qk_rope_head_dim) ** .5
        ahead = torch.ones(T, len(kv)).triu(len(kv) - T + 1).bool()
        score.masked_fill_(ahead, -torch.inf)
        m = torch.full((H, T, 1), -1e300, dtype=torch.double)
        total, r = torch.zeros_like(m), torch.zeros(H, T, R).double()
        for b in range(0, len(kv), BLOCK):
            s = score[..., b:b + BLOCK]
            new = torch.maximum(m, s.amax(-1, True))
            e, shrink = (s - new).exp(), (m - new).exp()
            total, m = total * shrink + e.sum(-1, True), new
            r = r * shrink + e @ kv[b:b + BLOCK, :R]
        o = (r / total) @ up[:, N:].mT
        o = o.transpose(0, 1).reshape(T, -1)
        gate = torch.sigmoid(self.lin(n + "g_proj", x))
        return self.lin(n + "o_proj", gate * o)

    def situ(self, a, b):
        b1, b2 = self.c.activation_situ_beta, self.c.activation_situ_linear_beta
        return torch.sigmoid(a) * (a / b1).tanh() * (b / b2).tanh() * (b1 * b2)

    def ffn(self, n, x):
        a, b = self.lin(n + "gate_proj", x), self.lin(n + "up_proj", x)
        return self.lin(n + "down_proj", self.situ(a, b))

    def moe(self, n, x):
        s = torch.sigmoid(self.lin(n + "gate", x))
        _, at = torch.topk(s + self.w(n + "gate.e_score_correction_bias"),
                           self.c.num_experts_per_token)
        share = torch.zeros_like(s).scatter(1, at, s.gather(1, at))
        share = F.normalize(share, p=1, dim=1) * self.c.routed_scaling_factor
        z = self.lin(n + "routed_expert_down_proj", x)
        r = torch.zeros_like(z)
        for e in at.unique().tolist():
            w1, w2, w3 = (self.w(f"{n}experts.{e}.w{j}",
                                 self.model.tensors.mxfp4) for j in (1, 2, 3))
            t = share[:, e].nonzero()[:, 0]
            y = self.situ(z[t] @ w1.T, z[t] @ w3.T) @ w2.T
            r[t] += share[t, e, None] * y
        r = self.norm(n + "routed_expert_norm", r)
        r = self.lin(n + "routed_expert_up_proj", r)
        return self.ffn(n + "shared_experts.", x) + r
