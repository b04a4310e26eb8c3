#!/usr/bin/python3
"""Run the reference on a model and record what an engine must reproduce.

    record.py MODEL [PROMPT_IDS] OUT

PROMPT_IDS is a text file of ids. Without it 32 ids are drawn from a seed, 1 or
the next one with which both margins hold. README says what OUT gets.
"""
import os
import random
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402: the number of threads is fixed before

from config import Bad  # noqa: E402
from model import Model  # noqa: E402

PROMPT, GREEDY, SEEDS = 32, 20, 50

# A float32 engine must route and choose as float64 does.
MARGIN = 1e-4


def route_lines(routes, npass, kind):
    for layer, pos, experts, weights, _ in routes:
        yield "\t".join([
            f"{npass}", kind, "0", f"{pos}", f"{layer}",
            ",".join(f"{e}" for e in experts),
            ",".join(f"{w:.9g}" for w in weights)])


def choose(row):
    """The id, ties to the lower one, and its margin over the next."""
    order = np.argsort(-row, kind="stable")
    return int(order[0]), (row[order[0]] - row[order[1]]) / np.max(abs(row))


def generate(model, ids):
    """Everything that is recorded, and the margins as (value, where)."""
    logits, hidden, routes = model.run(ids)
    lines = list(route_lines(routes, 0, "p"))
    routing = [(r[4], f"layer {r[0]} position {r[1]}") for r in routes]
    argmax = [(choose(row)[1], f"position {t}") for t, row in enumerate(logits)]
    out, last = [], logits[-1]
    for step in range(GREEDY):
        if step > 0:                    # the last id is never fed
            all_logits, _, routes = model.run(ids + out)
            last, pos = all_logits[-1], len(ids) + step - 1
            routes = [r for r in routes if r[1] == pos]
            lines += route_lines(routes, step, "d")
            routing += [(r[4], f"layer {r[0]} position {pos}") for r in routes]
        best, margin = choose(last)
        argmax.append((margin, f"greedy id {step}"))
        out.append(best)
    routing = routing or [(np.inf, "no layer")]
    return logits, hidden, lines, out, min(routing), min(argmax)


def write(out, ids, logits, hidden, lines, greedy, c):
    os.makedirs(out, exist_ok=True)
    head = (f"#k3-route 1 layers={c.num_hidden_layers} "
            f"experts={c.num_experts} topk={c.num_experts_per_token}")
    text = {"prompt.ids": [" ".join(map(str, ids))],
            "greedy.ids": [" ".join(map(str, greedy))],
            "routes": [head] + lines}
    for name, rows in text.items():
        with open(os.path.join(out, name), "w") as f:
            f.writelines(row + "\n" for row in rows)
    hidden.astype("<f4").tofile(os.path.join(out, "hidden.f32"))
    logits.astype("<f4").tofile(os.path.join(out, "logits.f32"))


def prompts(path, vocab):
    if path:
        with open(path) as f:
            ids = [int(w) for w in f.read().split()]
        if not ids or not all(0 <= i < vocab for i in ids):
            raise Bad(f"{path}: no ids, or one outside the vocabulary")
        yield path, ids
        return
    for seed in range(1, SEEDS + 1):
        draw = random.Random(seed)
        yield f"seed {seed}", [int(draw.random() * vocab) for _ in range(PROMPT)]


def main(directory, *rest):
    prompt, out = rest if len(rest) == 2 else (None, *rest)
    model = Model(directory)
    for what, ids in prompts(prompt, model.c.vocab_size):
        *result, routing, argmax = generate(model, ids)
        margins = (f"routing {routing[0]:.6g} at {routing[1]}\n"
                   f"argmax {argmax[0]:.6g} at {argmax[1]}\n")
        print(f"{what}:\n{margins}", end="")
        if min(routing[0], argmax[0]) >= MARGIN:
            break
    else:
        raise Bad(f"a margin is below {MARGIN}: nothing is written")
    write(out, ids, *result, model.c)
    with open(os.path.join(out, "margins.txt"), "w") as f:
        f.write(margins)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (Bad, OSError) as e:
        sys.exit(str(e))
