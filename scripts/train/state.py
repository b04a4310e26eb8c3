"""The flat form in which a run holds parameters and gradients, and the
learning rate's schedule."""

import math

import torch

from config import CONFIG
from model import K3
from moe import MoE

DECAY = 0.1     # weight decay, of matrices only
WARMUP, LR, LR_END = 100, 3e-3, 3e-5


def flatten(model, grad):
    """Makes parameters and gradients views of two flat vectors."""
    params = list(model.parameters())
    flat = torch.cat([p.detach().flatten() for p in params])
    decay = torch.cat([torch.full((p.numel(),), DECAY * (p.dim() > 1))
                       for p in params])
    at = 0
    for p in params:
        p.data = flat[at:at + p.numel()].view_as(p)
        p.grad = grad[at:at + p.numel()].view_as(p)
        at += p.numel()
    return flat, decay


def learning_rate(step, steps, anchor):
    """A warm-up, then half a cosine from the anchor (step, rate) on."""
    if step < WARMUP:
        return LR * (step + 1) / WARMUP
    at, lr = anchor
    part = min(1, (step - at) / max(1, steps - at))
    return LR_END + (lr - LR_END) * 0.5 * (1 + math.cos(math.pi * part))


def from_state(path):
    """The training model of a state file, and its step."""
    model = K3(CONFIG["text_config"])
    s = torch.load(path)
    at = 0
    for p in model.parameters():
        p.data = s["flat"][at:at + p.numel()].view_as(p)
        at += p.numel()
    biases = iter(s["bias"])
    for x in model.modules():
        if isinstance(x, MoE):
            x.bias.copy_(next(biases))
    return model, s["step"]
