#!/usr/bin/python3
"""Writes the demo from a training run and proves the written file.

    export.py RUN OUTDIR

Reloads OUTDIR/model.safetensors, prints the loss on the whole held-out text,
compares the logits after OUTDIR/prompt.txt with reference.py's, and continues
the prompt greedily by 200 ids."""

import json
import re
import shutil
import sys

import numpy as np
import torch

from bpe import Tokenizer
from config import CONFIG, IDS
from data import evaluate
from kda import CHUNK
from model import K3
from reference import Reference
from state import from_state
import weights


def write_json(path, value):
    with open(path, "w") as f:
        json.dump(value, f, indent=2)
        f.write("\n")


@torch.no_grad()
def logits(model, ids):
    pad = -len(ids) % CHUNK         # what follows cannot change what is before
    return model(torch.tensor([ids + [0] * pad]))[0, :len(ids)]


def greedy(reference, last, n):
    """Goes on for n ids from the logits after the prompt."""
    ids = []
    for _ in range(n):
        ids.append(int(last.argmax()))
        last = reference.step(ids[-1])
    return ids


def words(text):
    return re.findall(r"[A-Za-z]+", text)


def main(run, out):
    model, step = from_state(run + "/state.pt")
    weights.save(model, out + "/model.safetensors")
    for name in ("tiktoken.model", "tokenizer_config.json"):
        shutil.copyfile(run + "/" + name, out + "/" + name)
    write_json(out + "/config.json", CONFIG)
    write_json(out + "/generation_config.json",
               {"max_length": CONFIG["text_config"]["max_position_embeddings"],
                "eos_token_id": IDS["eos_token_id"]})

    tok = Tokenizer(out + "/tiktoken.model")
    held = tok.encode(open(run + "/held-out.txt").read())
    file = K3(CONFIG["text_config"]).eval()
    left = weights.load(file, out + "/model.safetensors")
    total, n = evaluate(file, torch.tensor(held), 0, 1)
    print("step %d: %.4f nats a token on %d held-out tokens, %.3f bits a "
          "character; %d tensors that nobody needs" %
          (step, total / n, n, total / np.log(2) / n
           * len(held) / len(tok.decode(held)), len(left)))

    prompt = open(out + "/prompt.txt").read()
    ids = tok.encode(prompt)
    mine = logits(file, ids).numpy()
    reference = Reference(json.load(open(out + "/config.json"))["text_config"],
                          out + "/model.safetensors")
    theirs = np.array([reference.step(i) for i in ids])
    print("largest difference from reference.py: %.2g of %.2g" %
          (np.abs(mine - theirs).max(), np.abs(theirs).max()))

    text = tok.decode(greedy(reference, theirs[-1], 200))
    known = set(words(open(run + "/train.txt").read()))
    found = words(text)
    print("words of the text: %d of %d, %d different\n---\n%s%s" %
          (sum(w in known for w in found), len(found), len(set(found)),
           prompt, text))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(*sys.argv[1:])
