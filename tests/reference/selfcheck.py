#!/usr/bin/python3
"""Check the reference against a second formulation: selfcheck.py MODEL [IDS]

The largest difference relative to the largest value, of logits and hidden
states, for several ways to cut the sequence; it must be below 1e-10. Also the
values of MXFP4 from their bits, and that a longer sequence changes nothing
before its new positions.
"""
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import torch  # noqa: E402

from model import Model  # noqa: E402
from record import prompts  # noqa: E402
from second import Second  # noqa: E402

LIMIT = 1e-10


def far(a, b):
    return float(np.max(abs(a - b)) / np.max(abs(b)))


def cut(ids, size):
    return [ids[i:i + size] for i in range(0, len(ids), size)]


def e2m1(nibble):
    sign, e, m = nibble >> 3, nibble >> 1 & 3, nibble & 1
    value = m / 2 if e == 0 else (1 + m / 2) * 2 ** (e - 1)
    return -value if sign else value


def mxfp4(model, name):
    """The largest difference over one matrix, value by value."""
    got = model.tensors.mxfp4(name)
    packed = model.tensors(name + ".weight_packed").tolist()
    scale = model.tensors(name + ".weight_scale").tolist()
    worst = 0.0
    for r, row in enumerate(got):
        for c, value in enumerate(row):
            nibble = packed[r][c // 2] >> 4 * (c % 2) & 15
            want = e2m1(nibble) * 2.0 ** (scale[r][c // 32] - 127)
            worst = max(worst, abs(value - want))
    return worst


def main(directory, path=None):
    model, results = Model(directory), []
    _, ids = next(prompts(path, model.c.vocab_size))
    logits, hidden, _ = model.run(ids)
    for size in (1, 7, len(ids)):
        second, parts = Second(model), []
        for part in cut(ids, size):
            parts.append(second.feed(part))
        got_logits, got_hidden = (torch.cat(p, d).numpy()
                                  for p, d in zip(zip(*parts), (0, 1)))
        results += [(f"logits, {size} at a time", far(got_logits, logits)),
                    (f"hidden, {size} at a time", far(got_hidden, hidden))]
    half = len(ids) // 2
    results.append(("logits of a shorter sequence",
                    far(model.run(ids[:half])[0], logits[:half])))
    layer = model.c.first_k_dense_replace
    if layer < model.c.num_hidden_layers:
        name = f"language_model.model.layers.{layer}.block_sparse_moe.experts.0."
        results += [(f"mxfp4, {w}", mxfp4(model, name + w))
                    for w in ("w1", "w2", "w3")]
    for name, value in results:
        print(f"{value:.3g}\t{name}")
    return int(not all(value < LIMIT for _, value in results))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
