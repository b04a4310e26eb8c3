"""Layers that the attention and the experts share."""

import torch
from torch import nn


def linear(n, m):
    layer = nn.Linear(n, m, bias=False)
    nn.init.normal_(layer.weight, std=0.5 * n ** -0.5)
    return layer


class Norm(nn.Module):
    def __init__(self, n, eps=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.eps = 1e-5 if eps is None else eps

    def forward(self, x):
        scale = torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps)
        return x * scale * self.weight


class AttnRes(nn.Module):
    def __init__(self, E):
        super().__init__()
        self.norm = nn.Parameter(torch.ones(E))
        self.proj = nn.Parameter(torch.zeros(E))

    def forward(self, B, p):
        """B: list of (snapshot, its rsqrt), p [.., E]."""
        query = self.norm * self.proj
        sources = B + [(p, reciprocal(p))]
        score = [(x @ query) * r for x, r in sources]
        prob = torch.stack(score, -1).softmax(-1)
        return sum(x * w.unsqueeze(-1)
                   for (x, _), w in zip(sources, prob.unbind(-1)))


def reciprocal(x):
    return torch.rsqrt((x * x).mean(-1) + 1e-5)


class Conv(torch.autograd.Function):
    """Causal depthwise convolution, x [B, T, C], taps [n, C], the last the
    newest. By hand, since autograd copies x for each tap."""

    @staticmethod
    def forward(ctx, x, taps):
        ctx.save_for_backward(x, taps)
        T, n = x.shape[1], len(taps)
        y = x * taps[-1]
        for j in range(1, n):
            y[:, j:].addcmul_(x[:, :T - j], taps[n - 1 - j])
        return y

    @staticmethod
    def backward(ctx, g):
        x, taps = ctx.saved_tensors
        T, n = x.shape[1], len(taps)
        dx = g * taps[-1]
        dtaps = [(g * x).sum((0, 1))]
        for j in range(1, n):
            dx[:, :T - j].addcmul_(g[:, j:], taps[n - 1 - j])
            dtaps.insert(0, (g[:, j:] * x[:, :T - j]).sum((0, 1)))
        return dx, torch.stack(dtaps)


class Dropout(nn.Module):
    """Drops in steps of 1/256: seven elements share one
    random number of 63 bits."""

    def __init__(self, p):
        super().__init__()
        self.cut = round(p * 256)

    def forward(self, x):
        if not self.training or self.cut == 0:
            return x
        r = torch.empty((x.numel() + 6) // 7, dtype=torch.int64).random_()
        r = r.view(torch.uint8).view(-1, 8)[:, :7].reshape(-1)[:x.numel()]
        keep = (r >= self.cut).to(x.dtype).mul_(256 / (256 - self.cut))
        return x * keep.view_as(x)
