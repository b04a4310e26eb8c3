"""Write a run report of a few numbers: report.py [NAME=VALUE ...]."""
import json
import sys

# Bytes are of a pass; seconds too, but for 'other'.
n = {
    "prompts": 1, "prompt_tokens": 100, "prompt_passes": 1, "generated": 4,
    "prompt_compute": 1.0, "prompt_trunk": 1.0, "prompt_experts": 1.0,
    "compute": 1.0, "trunk": 5.0, "experts": 4.0, "slow": 0.0, "other": 1.0,
    "cpu": "avx2", "threads": 8, "io": "aio", "options": "-r 64G",
    "busy": 0.9, "depth": 8.0, "demands": 1000, "hits": 400, "evicted": 1,
    "right": 0, "wrong": 0, "cache": 1 * 10**9, "pinned": 20 * 10**9,
    "streamed": 80 * 10**9, "planned": 60 * 10**9, "peak": 59 * 10**9,
    "expert": 20 * 10**6,
}
for argument in sys.argv[1:]:
    name, value = argument.split("=", 1)
    n[name] = type(n[name])(value)


def part(count, seconds, other=0.0):
    """Of so many passes with so many seconds of compute and waits each."""
    compute, trunk, experts = (round(count * s, 6) for s in seconds)
    wall = round(compute + trunk + experts + other, 6)
    misses = n["demands"] - n["hits"]
    trunk_bytes, expert_bytes = n["streamed"], misses * n["expert"]
    return {
        "seconds": {"wall": wall, "compute": compute, "trunk_wait": trunk,
                    "expert_wait": experts, "other": other},
        "counters": {"trunk_bytes": count * trunk_bytes,
                     "expert_bytes": count * expert_bytes,
                     "demands": count * n["demands"],
                     "hits": count * n["hits"], "misses": count * misses,
                     "evictions": count * misses * n["evicted"],
                     "bypassed": 0, "guessed_right": count * n["right"],
                     "guessed_wrong": count * n["wrong"]},
        "reads": {"bytes": count * (trunk_bytes + expert_bytes),
                  "busy": wall * n["busy"], "depth": n["depth"]},
    }


def add(parts, other):
    """The total of all passes."""
    total = part(0, (0, 0, 0))
    for p in parts:
        for group in "seconds", "counters":
            for key, value in p[group].items():
                total[group][key] += value
        for key in "bytes", "busy":
            total["reads"][key] += p["reads"][key]
    total["seconds"]["other"] = other
    total["seconds"]["wall"] += other
    return dict(total, reads=dict(total["reads"], depth=n["depth"]),
                unused_bytes=0)


passes = []
for sequence in range(n["prompts"]):
    for i in range(n["prompt_passes"]):
        tokens = n["prompt_tokens"] // n["prompt_passes"]
        passes.append(dict(
            {"kind": "p", "sequence": sequence, "position": i * tokens,
             "ids": [7] * tokens},
            **part(1, (n["prompt_compute"], n["prompt_trunk"],
                       n["prompt_experts"]))))
    for i in range(n["generated"]):
        compute = n["compute"] + (n["slow"] if i == 0 else 0)
        passes.append(dict(
            {"kind": "d", "sequence": sequence,
             "position": n["prompt_tokens"] + i, "ids": [7]},
            **part(1, (compute, n["trunk"], n["experts"]))))
model = {
    "files": 96, "tensors": 1000, "checkpoint_bytes": 1560 * 10**9,
    "moe_layers": 92, "experts": 896, "expert_bytes": n["expert"],
    "all_expert_bytes": 92 * 896 * n["expert"], "layers": 93,
    "trunk_bytes": 100 * 10**9, "head_bytes": 2 * 10**9,
    "kda_state_bytes": 10**6, "conv_state_bytes": 10**5,
    "latent_bytes_a_position": 50000,
}
plan = {
    "items": [{"name": "ring", "bytes": 10**9, "why": ""},
              {"name": "cache", "bytes": n["cache"], "why": ""}],
    "total": n["planned"], "context": 4096,
    "chunk": max(1, n["prompt_tokens"] // max(1, n["prompt_passes"])),
    "cached_experts": n["cache"] // n["expert"],
    "pinned_bytes": n["pinned"], "trunk_bytes_a_pass": n["streamed"],
    "beside_bytes_a_pass": n["streamed"] // 10,
    "expert_bytes_a_token": 92 * 16 * n["expert"],
}
json.dump({
    "k3-report": 1, "tool": "k3-decode", "version": "0.1.0",
    "arguments": n["options"].split(), "cpu": n["cpu"],
    "threads": n["threads"], "io": n["io"], "fingerprint": "0" * 32,
    "model": model, "plan": plan, "passes": passes,
    "total": add(passes, n["other"]), "peak_bytes": n["peak"],
}, sys.stdout)
print()
