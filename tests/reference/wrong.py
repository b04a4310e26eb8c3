#!/usr/bin/python3
"""Can a model tell the wrong readings of k3.md from the right one?

    wrong.py MODEL [IDS]

Each reading in wrong.txt is one change of model.py's text. Printed are the
largest differences of logits and of hidden states, relative to the largest
value, the number of positions whose argmax differs, and the reading. Where the
logits differ by less than 1e-4 a test in float32 on this model may not notice:
status 1.
"""
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

from record import prompts  # noqa: E402
from model import Model  # noqa: E402

LIMIT = 1e-4
HERE = os.path.dirname(os.path.abspath(__file__))


def readings():
    """Name, old text, new text."""
    with open(os.path.join(HERE, "wrong.txt")) as f:
        blocks = f.read().strip().split("\n\n")
    for block in blocks[1:]:                    # the first says what it is
        name, *lines = block.split("\n")
        yield (name, *("\n".join(x[1:] for x in lines if x[0] == mark)
                       for mark in "-+"))


def changed(source, name, old, new):
    if source.count(old) != 1:
        sys.exit(f"wrong.txt: {name}: stands {source.count(old)} times")
    space = {}
    exec(compile(source.replace(old, new), name, "exec"), space)
    return space["Model"]


def far(a, b):
    d = np.max(abs(a - b)) / np.max(abs(b))
    return np.inf if np.isnan(d) else d


def main(directory, path=None):
    model = Model(directory)
    _, ids = next(prompts(path, model.c.vocab_size))
    logits, hidden, _ = model.run(ids)
    with open(os.path.join(HERE, "model.py")) as f:
        source = f.read()
    unseen = 0
    for name, old, new in readings():
        model.__class__ = changed(source, name, old, new)
        with np.errstate(all="ignore"):
            got, got_hidden, _ = model.run(ids)
        moved = np.sum(np.argmax(got, 1) != np.argmax(logits, 1))
        d = far(got, logits)
        unseen += d < LIMIT
        print(f"{d:.2g}\t{far(got_hidden, hidden):.2g}\t{moved}/{len(ids)}"
              f"\t{name}{' (UNSEEN)' if d < LIMIT else ''}")
    return int(unseen > 0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
