"""MXFP4: E2M1 values times a power of two for each 32 consecutive inputs."""

import torch

GROUP = 32


def scale_exponent(w):
    """w [..., n] -> scale byte e (int32) [..., n / 32].

    The scaled maximum lands in [3.5, 7): at 7 and above the next power of two
    is taken, and between 6 and 7 the maximum is clipped to 6. That costs less
    than coarser steps for the other 31. Adding a quarter of the mantissa's
    range to the float's bits carries into the exponent from 1.75 on."""
    peak = w.reshape(*w.shape[:-1], -1, GROUP).abs().amax(-1)
    e = ((peak.view(torch.int32) + 0x200000) >> 23) - 2
    return e.clamp(1, 252)


def round_e2m1(x):
    """|x| scaled -> the nearest of 0 .5 1 1.5 2 3 4 6, ties to even."""
    # The steps are .5 below 2, 1 below 4, 2 above: half the power of two
    # below max(|x|, 1).
    step = x.abs().clamp(1, 4).view(torch.int32).bitwise_and(0x7f800000)
    step = step.view(torch.float32) * 0.5
    return (torch.round(x / step) * step).clamp_(-6, 6)


def quantize(w):
    """Returns the E2M1 values (float32, shape of w) and the scale bytes."""
    e = scale_exponent(w)
    scale = (e << 23).view(torch.float32)
    x = w.reshape(*e.shape, GROUP) / scale.unsqueeze(-1)
    return round_e2m1(x), e


class Straight(torch.autograd.Function):
    """The quantised weight forward, the identity backward."""

    @staticmethod
    def forward(ctx, w):
        v, e = quantize(w)
        return (v * (e << 23).view(torch.float32).unsqueeze(-1)).view_as(w)

    @staticmethod
    def backward(ctx, g):
        return g


def pack(w):
    """w [rows, n] -> bytes [rows, n / 2], scale bytes [rows, n / 32]."""
    v, e = quantize(w)
    v = v.reshape(w.shape)
    values = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6])
    code = torch.bucketize(v.abs(), values) | ((v < 0).long() << 3)
    packed = code[..., 0::2] | (code[..., 1::2] << 4)
    return packed.to(torch.uint8), e.to(torch.uint8)


def unpack(packed, scale):
    """The inverse of pack, float32."""
    values = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6])
    values = torch.cat([values, -values])
    code = torch.stack([packed & 15, packed >> 4], -1).flatten(-2).long()
    s = torch.ldexp(torch.ones(()), scale.int() - 127)
    return values[code] * s.repeat_interleave(GROUP, -1)
