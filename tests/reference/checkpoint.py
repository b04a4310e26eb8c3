"""Safetensors (k3.md 3), read into float64.

Tensors are found by name in whatever files the folder holds; the index is not
read. One that is needed and missing, of another shape or type, named twice or
outside its file is refused, all of them at once.
"""
import json
import math
import os
import re

import numpy as np

from config import Bad

SIZE = {"F32": 4, "BF16": 2, "U8": 1}

# The eight magnitudes of E2M1; bit 3 of a nibble is the sign.
E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])


def header(path):
    """Yield name, dtype, shape, offset in the file, bytes; the data's limits
    are checked against the file."""
    size = os.path.getsize(path)
    with open(path, "rb") as f:
        n = int.from_bytes(f.read(8), "little")
        if size < 8 or n > size - 8:
            raise Bad(f"{path}: header longer than the file")
        # Pairs, so that a name that stands twice is seen twice.
        pairs = json.loads(f.read(n), object_pairs_hook=list)
    for name, entry in pairs:
        if name == "__metadata__":
            continue
        entry = dict(entry)
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= size - 8 - n:
            raise Bad(f"{path}: {name}: outside the file")
        yield name, entry["dtype"], entry["shape"], 8 + n + begin, end - begin


class Checkpoint:
    """name -> float64 array."""

    def __init__(self, directory, shapes):
        self.where, bad = {}, []
        for file in sorted(os.listdir(directory)):
            if not re.fullmatch(r"model(-\d{5}-of-\d{6})?\.safetensors", file):
                continue
            path = os.path.join(directory, file)
            for name, dtype, shape, offset, length in header(path):
                if name not in shapes:
                    continue
                if name in self.where:
                    bad.append(f"{name}: named twice")
                self.where[name] = path, dtype, offset, length
                dtypes = ("U8",) if ".weight_" in name else ("F32", "BF16")
                want = list(shapes[name])
                if dtype not in dtypes or shape != want:
                    bad.append(f"{name}: {dtype} {shape}, wanted {want}")
                elif length != math.prod(want) * SIZE[dtype]:
                    bad.append(f"{name}: {length} bytes for {dtype} {shape}")
        bad += [f"{name}: missing" for name in shapes if name not in self.where]
        if bad:
            raise Bad("\n".join(f"{directory}: {b}" for b in bad))
        self.shapes = shapes

    def __call__(self, name):
        path, dtype, offset, length = self.where[name]
        with open(path, "rb") as f:
            f.seek(offset)
            raw = f.read(length)
        if dtype == "BF16":             # the upper half of a float32
            a = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
        else:
            a = np.frombuffer(raw, {"F32": "<f4", "U8": "u1"}[dtype])
        a = a.reshape(self.shapes[name])
        return a if dtype == "U8" else a.astype(np.float64)

    def mxfp4(self, name):
        packed = self(name + ".weight_packed")
        scale = self(name + ".weight_scale").astype(int)
        if scale.max() > 252:
            raise Bad(f"{name}.weight_scale: {scale.max()} is above 252")
        w = np.empty((packed.shape[0], 2 * packed.shape[1]))
        w[:, 0::2] = E2M1[packed & 15]          # input 2j: the low nibble
        w[:, 1::2] = E2M1[packed >> 4]
        return w * np.repeat(np.ldexp(1.0, scale - 127), 32, axis=1)
