#!/usr/bin/python3
"""Kimi delta attention's recurrence: chunked for training, naive as a check.

Shapes: q, k, v, g [N, T, D], beta [N, T], with N = batch x heads; g is the
logarithm of the decay, between gate_lower_bound and 0."""

import torch

CHUNK = 16      # exp(16 * 5) = 5.5e34 is still a float32; 18 would overflow


def naive(q, k, v, g, beta):
    S = q.new_zeros(q.shape[0], q.shape[2], v.shape[2])
    out = []
    for t in range(q.shape[1]):
        S = S * g[:, t].exp().unsqueeze(-1)
        u = torch.einsum("nkv,nk->nv", S, k[:, t])
        w = beta[:, t, None] * (v[:, t] - u)
        S = S + k[:, t].unsqueeze(-1) * w.unsqueeze(1)
        out.append(torch.einsum("nkv,nk->nv", S, q[:, t]))
    return torch.stack(out, 1)


class Inverse(torch.autograd.Function):
    """(I + L)^-1 for a batch of strictly lower triangular L [n, 16, 16]."""

    @staticmethod
    def forward(ctx, L):
        # L^16 = 0, so the inverse is (I-L)(I+L^2)(I+L^4)(I+L^8).
        eye = torch.eye(L.shape[-1], dtype=L.dtype)
        power = torch.bmm(L, L)
        inv = torch.baddbmm(eye - L, eye - L, power)
        for _ in range(2):
            power = torch.bmm(power, power)
            inv = torch.baddbmm(inv, inv, power)
        ctx.save_for_backward(inv)
        return inv

    @staticmethod
    def backward(ctx, g):
        inv, = ctx.saved_tensors
        t = inv.transpose(1, 2)
        return -torch.bmm(torch.bmm(t, g), t).tril_(-1)


def chunked(q, k, v, g, beta):
    """Inside a chunk, with G the running sum of g and S the state before it:

        S_t = exp(G_t) (S + sum over i <= t of exp(-G_i) k_i w_i^T)
        w_t = beta_t (v_t - S^T (exp(G_t) k_t) - sum over i < t of A_ti w_i)
        A_ti = (exp(G_t) k_t) . (exp(-G_i) k_i)

    so the w of a chunk solve a unit triangular system, for all chunks at
    once but for their S, and only S goes from chunk to chunk."""
    n, T, D = q.shape
    c = T // CHUNK
    q, k, v, g = (x.reshape(n * c, CHUNK, x.shape[-1]) for x in (q, k, v, g))
    beta = beta.reshape(n * c, CHUNK, 1)
    G = g.cumsum(1)
    up = G.exp()
    kup = k * up
    # Not k / up: that one's gradient divides by up twice and overflows.
    kdown = (k * (-G).exp()).transpose(1, 2)
    inv = Inverse.apply((beta * torch.bmm(kup, kdown)).tril(-1))
    wv = torch.bmm(inv, beta * v)
    wk = torch.bmm(inv, beta * kup)
    qup = q * up
    aq = torch.bmm(qup, kdown).tril()
    kend = (k * (G[:, -1:] - G).exp()).transpose(1, 2)
    end = up[:, -1].unsqueeze(-1)

    def by_chunk(x):
        return x.reshape(n, c, *x.shape[1:]).unbind(1)

    S = q.new_zeros(n, D, v.shape[-1])
    states, ws = [], []
    for wv_c, wk_c, kend_c, end_c in zip(*map(by_chunk, (wv, wk, kend, end))):
        states.append(S)
        w = torch.baddbmm(wv_c, wk_c, S, alpha=-1)
        ws.append(w)
        S = torch.baddbmm(S * end_c, kend_c, w)
    S = torch.stack(states, 1).flatten(0, 1)
    w = torch.stack(ws, 1).flatten(0, 1)
    out = torch.baddbmm(torch.bmm(aq, w), qup, S)
    return out.reshape(n, T, -1)


def check(bias):
    """The relative differences of results and of gradients; the larger the
    bias, the stronger the decay."""
    torch.manual_seed(0)
    n, T, D = 3, 64, 64
    args = [torch.randn(n, T, D) for _ in range(3)]
    args[0], args[1] = (x / x.norm(dim=-1, keepdim=True) for x in args[:2])
    args += [-5 * torch.sigmoid(3 * torch.randn(n, T, D) + bias),
             torch.sigmoid(torch.randn(n, T))]
    weight = torch.randn(n, T, D)
    results = []
    for f, dtype in ((chunked, torch.float32), (naive, torch.float64)):
        a = [x.detach().to(dtype).requires_grad_() for x in args]
        out = f(*a)
        (out * weight.to(dtype)).sum().backward()
        results.append([out.detach()] + [x.grad for x in a])
    return [float((x.double() - y).norm() / y.norm())
            for x, y in zip(*results)]


if __name__ == "__main__":
    print("chunked against naive (out, dq, dk, dv, dg, dbeta):")
    for bias in (-6, -3, 0, 3, 30):
        print(*("%.1e" % x for x in check(bias)))
