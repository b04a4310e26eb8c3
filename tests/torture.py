"""Damage models, packed trunks, sessions: torture.py BIN BASES FIRST COUNT SEED.

BASES has folders of models with k3-digests, trunk/, session and unneeded, a list.
Each damage is drawn by its number and the seed, and what the tools then do is
judged.  Prints TAP, without the plan."""
import math
import os
import random
import shutil
import struct
import sys

import torture_bytes
import torture_text
from torture_model import changed, content, shards
from torture_run import Runner

IDS = b"5 6 7\n\n1 2 3 4 5 6 7 8 9\n"
OPTIONS = ([], ["--trunk-ram", "0", "--cache-ram", "0"], ["--io", "pread"], ["--chunk", "1"],
           ["--lookahead", "2", "--trunk-ram", "0"], ["-j", "1"])


class Base:
    """A good model: what is in it and what it answers."""

    def __init__(self, runner, path):
        self.path = path
        with open(os.path.join(path, "unneeded"), encoding="utf-8") as f:
            self.unneeded = set(f.read().split())
        self.content = content(path, self.unneeded)
        # By whether a session is gone on with.
        self.answers = [decode(runner, path, [], load) for load in (False, True)]
        for got, _ in self.answers:
            if got[0] != 0 or got[3]:
                sys.exit(f"{path}: {got}")


def decode(runner, folder, options, load):
    """What became of it, and the logits."""
    if load:
        options = options + ["--load", os.path.join(folder, "session")]
    logits = os.path.join(folder, "..", "logits")
    if os.path.exists(logits):
        os.remove(logits)
    got = runner.run(["k3-decode", "-q", "-m", folder, "-n", "4", "--stop", "none",
                      "--logits", logits] + options, b"1 2\n" if load else IDS)
    rows = b""
    if os.path.exists(logits):
        with open(logits, "rb") as f:
            rows = f.read()
    return got, rows


def copy(base, folder, rng):
    """Hard links, but digests, trunk and session not always."""
    os.makedirs(folder)
    for name in sorted(os.listdir(base)):
        if name not in ("trunk", "k3-digests", "session", "unneeded"):
            os.link(os.path.join(base, name), os.path.join(folder, name))
    for name, often in (("k3-digests", 0.7), ("session", 0.3)):
        if rng.random() < often:
            os.link(os.path.join(base, name), os.path.join(folder, name))
    if rng.random() < 0.4:
        os.mkdir(os.path.join(folder, "trunk"))
        for name in os.listdir(os.path.join(base, "trunk")):
            os.link(os.path.join(base, "trunk", name), os.path.join(folder, "trunk", name))


def pick(rng, folder):
    """What is damaged, and how: (name, function)."""
    both = torture_bytes.BYTES + torture_bytes.FILES
    trunk = os.path.join(folder, "trunk")
    kinds = ["shard"] * 4 + ["config", "tokenizer"]
    for name, kind in (("trunk", "trunk"), ("k3-digests", "digests"),
                       ("session", "session"), ("model.safetensors.index.json", "index")):
        if os.path.exists(os.path.join(folder, name)):
            kinds += [kind] * (3 if kind in ("trunk", "session") else 1)
    kind = rng.choice(kinds)
    if kind == "trunk":
        return "trunk/" + rng.choice(sorted(os.listdir(trunk))), rng.choice(both)
    if kind in ("digests", "session"):
        return "k3-digests" if kind == "digests" else kind, rng.choice(both)
    if kind == "shard":
        how = rng.choice((both, torture_text.SHARD, torture_text.SHARD))
        return rng.choice(shards(folder)), rng.choice(how)
    if kind == "index":
        how = rng.choice((both, torture_text.JSON, (torture_text.outside,)))
        return "model.safetensors.index.json", rng.choice(how)
    if kind == "config":
        how = rng.choice((both, torture_text.JSON, torture_text.JSON, (torture_text.sizes,)))
        return "config.json", rng.choice(how)
    name = rng.choice(("tiktoken.model", "tokenizer_config.json"))
    how = rng.choice((both, torture_text.JSON if name.endswith("json") else both))
    return name, rng.choice(how)


class Case:
    """One damage and all that is run on it."""

    def __init__(self, runner, bases, tmp, number, seed):
        self.rng = random.Random(f"{seed}/{number}")
        self.runner = runner
        self.base = self.rng.choice(bases)
        self.folder = os.path.join(tmp, "m")
        self.faults = []
        copy(self.base.path, self.folder, self.rng)
        self.name, how = pick(self.rng, self.folder)
        path = os.path.join(self.folder, self.name)
        shutil.copyfile(path, path + ".own")
        os.replace(path + ".own", path)
        self.names = self.listing()
        self.what = f"{os.path.basename(self.base.path)} {self.name}: {how(self.rng, path)}"
        self.names = self.listing()
        self.changed = changed(self.base.content, self.folder, self.base.unneeded)

    def listing(self):
        return sorted(os.path.join(d, n) for d, _, names in os.walk(self.folder) for n in names)

    def has(self, name):
        return os.path.lexists(os.path.join(self.folder, name))

    def took(self, args, got):
        """What ended as no manual says, or does not name what is wrong."""
        status, _, errors, faults = got
        for fault in faults:
            self.fault(args, fault, errors)
        # What came of a number that is none is told by the tensor.
        if status not in (0, 1) and self.folder not in errors and not errors.endswith(
                "a number that is not finite\n"):
            self.fault(args, "the file is not named", errors)
        if self.listing() != self.names:
            self.fault(args, f"files are left: {set(self.listing()) ^ set(self.names)}", "")

    def fault(self, args, fault, errors):
        self.faults.append(f"{' '.join(args)}: {fault}\n{errors}")

    def decodes(self):
        options = self.rng.choice(OPTIONS)
        load = self.name == "session" or (self.has("session") and self.rng.random() < 0.5)
        got, rows = decode(self.runner, self.folder, options, load)
        args = ["k3-decode"] + options + ["--load"] * load
        self.took(args, got)
        if not all(map(math.isfinite, struct.unpack(f"<{len(rows) // 4}f", rows))):
            self.fault(args, "logits that are no numbers", "")
        want, want_rows = self.base.answers[load]
        if want[1].startswith(got[1]) and want_rows.startswith(rows):
            if got[0] == 0 and (got[1] != want[1] or rows != want_rows):
                self.fault(args, "status 0 and not all", "")
            return
        if self.changed == set():
            self.fault(args, "another answer, though the model is the same", "")
        elif self.has("k3-digests"):
            self.fault(args, "another answer, in spite of digests", "")

    def verifies(self):
        args = ["k3-verify", "checkpoint", "-q"]
        if self.has("k3-digests"):
            args.append("--digests")
        got = self.runner.run(args + [self.folder])
        self.took(args, got)
        # What config.json says beside the model is no fault of it.
        if "--digests" in args and got[0] == 0 and self.changed not in (set(), {"config.json"}):
            self.fault(args, "nothing found", str(self.changed))

    def others(self):
        out = os.path.join(self.folder, "..", "packed")
        runs = [["k3-verify", "trunk", "-q", "-m"], ["k3-route", "-q", "-m"],
                ["k3-decode", "-q", "--plan", "-m"], ["k3-pack", "-q", "--plan", "-m"],
                ["k3-pack", "-q", "-o", out, "-m"], ["k3-verify", "checkpoint", "-q", "-m"]]
        if self.name.startswith("trunk/"):
            runs = runs[:1]
        elif self.name.startswith("tok") or self.name.startswith("tik"):
            runs = [["k3-tok", "-m"], ["k3-tok", "-d", "-m"]]
        args = self.rng.choice(runs)
        if args[1] == "trunk" and not self.has("trunk"):
            return
        got = self.runner.run(args + [self.folder], IDS)
        self.took(args, got)
        if args[1] == "trunk" and got[0] == 0 and not self.same_trunk():
            self.fault(args, "nothing found", "")
        shutil.rmtree(out, ignore_errors=True)

    def same_trunk(self):
        trunk = os.path.join(self.folder, "trunk")
        for name in os.listdir(os.path.join(self.base.path, "trunk")):
            path = os.path.join(trunk, name)
            if not os.path.isfile(path) or os.path.getsize(path) > 1 << 30:
                return False
            with open(path, "rb") as a, open(os.path.join(self.base.path, "trunk", name),
                                             "rb") as b:
                if a.read() != b.read():
                    return False
        return True


def main():
    folder, bases, first, count, seed = sys.argv[1:]
    runner = Runner(folder)
    bases = [Base(runner, entry.path) for entry in sorted(os.scandir(bases), key=str)]
    tmp = os.path.realpath("torture")
    bad = 0
    for i in range(int(first), int(first) + int(count)):
        os.mkdir(tmp)
        case = Case(runner, bases, tmp, i, seed)
        case.decodes()
        case.verifies()
        case.others()
        shutil.rmtree(tmp)
        print(f"{'not ok' if case.faults else 'ok'} {i - int(first) + 1} - {i}: {ascii(case.what)}")
        for fault in case.faults:
            bad = 1
            print("# " + fault.strip().replace("\n", "\n# ")[:3000])
            print(f"# again: K3_SEED={seed} K3_FIRST={i} K3_LONG=1 tests/torture.sh", flush=True)
    sys.exit(bad)


main()
