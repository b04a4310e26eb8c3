"""The mixture of experts, with the experts quantised in the loop."""

import torch
from torch import nn

import mxfp4


class Permute(torch.autograd.Function):
    """x.index_select(0, index), whose gradient is gathered by `back`
    [rows of x, m] instead of being scattered; row -1 of `back` is none."""

    @staticmethod
    def forward(ctx, x, index, back):
        ctx.save_for_backward(back)
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx, g):
        back, = ctx.saved_tensors
        if back.shape[1] > 1:
            rows = g.index_select(0, back.flatten())
            return rows.view(*back.shape, -1).sum(1), None, None
        g = torch.cat([g, g.new_zeros(1, g.shape[1])])
        back = back.flatten()
        back = torch.where(back < 0, g.shape[0] - 1, back)
        return g.index_select(0, back), None, None


def situ(a, b, c):
    b1, b2 = c["activation_situ_beta"], c["activation_situ_linear_beta"]
    return (torch.tanh(a / b1) * torch.sigmoid(a)
            * torch.tanh(b / b2) * (b1 * b2))


class GatedFFN(nn.Module):
    def __init__(self, c, width, linear):
        super().__init__()
        self.c = c
        self.gate_up = linear(c["hidden_size"], 2 * width)
        self.down = linear(width, c["hidden_size"])

    def forward(self, x):
        a, b = self.gate_up(x).chunk(2, -1)
        return self.down(situ(a, b, self.c))


class MoE(nn.Module):
    def __init__(self, c, linear, norm):
        super().__init__()
        self.c = c
        n, L = c["num_experts"], c["routed_expert_hidden_size"]
        W, E = c["moe_intermediate_size"], c["hidden_size"]
        self.gate = linear(E, n)
        self.register_buffer("bias", torch.zeros(n))
        self.register_buffer("load", torch.zeros(n))
        self.down, self.up = linear(E, L), linear(L, E)
        self.norm = norm(L)
        self.shared = GatedFFN(c, c["num_shared_experts"] * W, linear)
        # w13 is w1 above w3.
        self.w13 = nn.Parameter(torch.randn(n, 2 * W, L) * L ** -0.5)
        self.w2 = nn.Parameter(torch.randn(n, L, W) * W ** -0.5)
        self.quantized = True

    def route(self, x):
        """Returns the picked experts [N, k] and their weights [N, k]."""
        s = torch.sigmoid(self.gate(x))
        k = self.c["num_experts_per_token"]
        picked = (s.detach() + self.bias).topk(k, -1, sorted=False).indices
        w = s.gather(1, picked)
        w = w / (w.sum(1, keepdim=True) + 1e-20)
        return picked, w * self.c["routed_scaling_factor"]

    def weights(self):
        if not self.quantized:
            return self.w13, self.w2
        return mxfp4.Straight.apply(self.w13), mxfp4.Straight.apply(self.w2)

    def routed(self, z, picked, w):
        """Each expert gets as many slots as the busiest one has tokens, so
        that all run in two batched products."""
        N, k = picked.shape
        n = self.c["num_experts"]
        flat = picked.flatten()
        count = torch.bincount(flat, minlength=n)
        if self.training:
            self.load += count
        slots = int(count.max())
        order = flat.argsort()
        owner = flat[order]
        first = count.cumsum(0) - count
        slot = torch.empty_like(flat)
        slot[order] = owner * slots + torch.arange(N * k) - first[owner]
        user = torch.full((n * slots,), -1)
        user[slot] = torch.arange(N * k)
        token = user.clamp(min=0) // k
        zs = Permute.apply(z, token, slot.view(N, k)).view(n, slots, -1)
        w13, w2 = self.weights()
        a, b = torch.bmm(zs, w13.transpose(1, 2)).chunk(2, -1)
        out = torch.bmm(situ(a, b, self.c), w2.transpose(1, 2))
        out = Permute.apply(out.flatten(0, 1), slot, user.unsqueeze(1))
        return torch.bmm(w.unsqueeze(1), out.view(N, k, -1)).squeeze(1)

    def forward(self, x):
        shape = x.shape
        x = x.flatten(0, -2)
        picked, w = self.route(x)
        r = self.routed(self.down(x), picked, w)
        return (self.up(self.norm(r)) + self.shared(x)).view(shape)

    def balance(self, rate):
        """Nudges the routing bias against the load since the last call."""
        self.bias += rate * torch.sign(self.load.mean() - self.load)
        self.load.zero_()
