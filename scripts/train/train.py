#!/usr/bin/python3
"""Trains the demo. Resumes from RUN/state.pt if that is there.

    train.py RUN --steps N      RUN holds train.txt, held-out.txt and
                                tiktoken.model; gets state.pt and log

Two processes of one thread each, half of the batch each: small tensors gain
little from a second thread, and whole halves gain all of it. The gradients
meet in shared memory and both processes take the same step.

SIGTERM or SIGINT: saves and stops. On resume another --steps bends the rest
of the learning rate's cosine, from where it is, to end at the new N."""

import argparse
import math
import os
import signal
import time

import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

from bpe import Tokenizer
from config import CONFIG
from data import batch, evaluate
from model import K3
from moe import MoE
from state import LR, WARMUP, flatten, learning_rate

RANKS = 2       # processes
BETA1, BETA2, CLIP = 0.9, 0.95, 1.0
BALANCE = 1e-3


def work(rank, a, grads, info, barrier, stop):
    if rank > 0:
        # Linux shares CPUs between sessions; one that has threads on two CPUs
        # gets half a share on each, and the slower half sets the pace.
        os.setsid()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    model = K3(CONFIG["text_config"], a.dropout)
    flat, decay = flatten(model, grads[rank])
    m, v = torch.zeros_like(flat), torch.zeros_like(flat)
    moes = [x for x in model.modules() if isinstance(x, MoE)]
    step, steps, anchor = 0, a.steps, (0, LR)
    path = a.run + "/state.pt"
    if os.path.exists(path):
        s = torch.load(path)
        for to, name in ((flat, "flat"), (m, "m"), (v, "v")):
            to.copy_(s[name])
        for x, bias in zip(moes, s["bias"]):
            x.bias.copy_(bias)
        step, anchor = s["step"], s["anchor"]
        if steps != s["steps"] and step > WARMUP:
            anchor = (step, learning_rate(step, s["steps"], anchor))
    tok = Tokenizer(a.run + "/tiktoken.model")
    ids, held = (torch.tensor(tok.encode(open(a.run + name).read()))
                 for name in ("/train.txt", "/held-out.txt"))

    def save():
        torch.save({"flat": flat, "m": m, "v": v, "step": step,
                    "steps": steps, "anchor": anchor,
                    "bias": [x.bias for x in moes]}, path + ".new")
        os.replace(path + ".new", path)

    began, seen, losses = time.time(), step, []
    while step < steps and not stop.value:
        torch.manual_seed(step * RANKS + rank)
        x = batch(ids, step, a.batch, rank, RANKS)
        grads[rank].zero_()
        loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1),
                               x[:, 1:].flatten())
        loss.backward()
        for i, moe in enumerate(moes):
            info[rank, i] = moe.load
        barrier.wait(900)
        g = grads.mean(0)
        load = info.sum(0)
        barrier.wait(900)
        for i, moe in enumerate(moes):
            moe.load.copy_(load[i])
            moe.balance(BALANCE)
        lr = learning_rate(step, steps, anchor)
        norm = float(g.norm())
        if not math.isfinite(norm):
            raise SystemExit("train.py: the gradient is not finite")
        g *= min(1.0, CLIP / (norm + 1e-6))
        step += 1
        m.lerp_(g, 1 - BETA1)
        v.mul_(BETA2).addcmul_(g, g, value=1 - BETA2)
        flat.mul_(1 - lr * decay)
        scale = (v / (1 - BETA2 ** step)).sqrt_().add_(1e-8)
        flat.addcdiv_(m, scale, value=-lr / (1 - BETA1 ** step))
        losses.append(float(loss))
        if step % 50 == 0 or step == steps:
            stride = 1 if step % 500 == 0 or step == steps else 5
            spent = (time.time() - began) / (step - seen)
            info[rank, 0, :2] = torch.tensor(
                evaluate(model, held, rank, RANKS, stride))
            barrier.wait(900)
            total, n = info[:, 0, :2].sum(0).tolist()
            if rank == 0:
                save()
                with open(a.run + "/log", "a") as f:
                    print("step %5d  train %.4f  held-out %.4f%s  lr %.2e  "
                          "norm %.2f  %.2f s a step" %
                          (step, sum(losses) / len(losses), total / n,
                           " (all)" if stride == 1 else "", lr, norm, spent),
                          file=f)
            began, seen, losses = time.time(), step, []
        # The flag is read by both at the top: nobody sets it but here.
        if rank == 0 and stopping:
            stop.value = 1
        barrier.wait(900)
    if rank == 0:
        save()


stopping = []

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("run")
    p.add_argument("--steps", type=int, required=True)
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--dropout", type=float, default=0.05)
    a = p.parse_args()
    size = sum(x.numel() for x in K3(CONFIG["text_config"]).parameters())
    c = CONFIG["text_config"]
    grads = torch.zeros(RANKS, size).share_memory_()
    info = torch.zeros(RANKS, c["num_hidden_layers"],
                       c["num_experts"]).share_memory_()
    info = info[:, :c["num_hidden_layers"] - c["first_k_dense_replace"]]
    barrier, stop = mp.Barrier(RANKS), mp.Value("i", 0)
    for s in (signal.SIGTERM, signal.SIGINT):
        signal.signal(s, signal.SIG_IGN)
    other = mp.Process(target=work, args=(1, a, grads, info, barrier, stop))
    other.start()
    for s in (signal.SIGTERM, signal.SIGINT):
        signal.signal(s, lambda *_: stopping.append(1))
    work(0, a, grads, info, barrier, stop)
    other.join()
