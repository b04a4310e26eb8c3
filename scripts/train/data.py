"""Windows of the text: batches to train on, and the loss on held-out text."""

import torch
import torch.nn.functional as F

T = 256         # ids of context a window


def batch(ids, step, size, rank, ranks):
    """This rank's share of the step's windows [n, T + 1]: each epoch has its
    own phase and order, and takes every window once."""
    count = (len(ids) - 1) // T - 1
    rows = []
    for i in range(step * size + rank, (step + 1) * size, ranks):
        g = torch.Generator().manual_seed(i // count)
        phase = int(torch.randint(T, (1,), generator=g))
        order = torch.randperm(count, generator=g)
        at = phase + T * int(order[i % count])
        rows.append(ids[at:at + T + 1])
    return torch.stack(rows)


@torch.no_grad()
def evaluate(model, ids, rank, ranks, stride=1):
    """Sum of the losses and their number, over every stride-th window."""
    model.eval()
    count = (len(ids) - 1) // T
    rows = [ids[i * T:i * T + T + 1] for i in range(0, count, stride)]
    rows = rows[rank::ranks]
    total, n = 0.0, 0
    for part in torch.stack(rows).split(8):
        logits = model(part[:, :-1]).flatten(0, 1)
        total += float(F.cross_entropy(logits, part[:, 1:].flatten(),
                                       reduction="sum"))
        n += part[:, 1:].numel()
    model.train()
    return total, n
