"""Damage to what JSON says: configurations, the index, headers of safetensors.

Each takes a random.Random and a path, and says what it did."""
import json
import os

from torture_bytes import EDGES, load, store
from torture_model import parts, write

NUMBERS = EDGES + (-1, -2**63, 2**64, 2**65, 10**30, 10**400, 0.5, 1e308, 3, 100, 5000, 1000000)
OTHERS = (None, True, False, "", "x", [], {}, [[]], [1], [1, 2, 3], "\u0000", "../x")
DTYPES = ("F32", "F16", "F64", "BF16", "U8", "I8", "I64", "BOOL", "F8_E4M3", "", "bf16", 5)


class Raw:
    """JSON that json.dumps does not write."""

    def __init__(self, text):
        self.text = text


RAW = (Raw(b"NaN"), Raw(b"Infinity"), Raw(b"1e999"), Raw(b"-0"), Raw(b"01"), Raw(b"9" * 10000),
       Raw(b"[" * 100000), Raw(b"[" * 100000 + b"]" * 100000), Raw(b'{"a":' * 50000),
       Raw(b'"\xff\xfe"'), Raw(b'"\\ud800"'), Raw(b'"' + b"a" * 1000000 + b'"'), Raw(b'"'),
       Raw(b'"\x00"'), Raw(b"0." + b"3" * 5000), Raw(b"1e-99999999999"))
MARK = "\u00abraw\u00bb"


def dump(tree, raw):
    return json.dumps(tree).encode().replace(json.dumps(MARK).encode(), raw)


def leaves(tree, at=()):
    """Paths to all that stands in a document."""
    if isinstance(tree, dict):
        for key in tree:
            yield at + (key,)
            yield from leaves(tree[key], at + (key,))
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield at + (i,)
            yield from leaves(value, at + (i,))


def step(tree, at):
    for key in at:
        tree = tree[key]
    return tree


def number(rng, value):
    """One that is near, or at an edge."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or rng.random() < 0.5:
        return rng.choice(NUMBERS)
    return rng.choice((0, value + 1, value - 1, 2 * value, -value, value / 2, value * 2**32))


def change(rng, tree):
    """Something else at one place: (document, what was done)."""
    at = rng.choice(list(leaves(tree)))
    inside, key = step(tree, at[:-1]), at[-1]
    where = ".".join(map(str, at))
    how = rng.randrange(4)
    raw = b"null"
    if how == 0:
        del inside[key]
        what = "gone"
    elif how == 1 or isinstance(inside[key], (dict, list)):
        what = inside[key] = rng.choice(OTHERS)
    elif how == 2:
        raw = rng.choice(RAW).text
        inside[key] = MARK
        what = raw[:20]
    else:
        what = inside[key] = number(rng, inside[key])
    return dump(tree, raw), f"{where}: {str(what)[:60]}"


def document(rng, path):
    text, what = change(rng, json.loads(load(path)))
    store(path, text)
    return what


def twice(rng, path):
    """A key of the document, again."""
    tree = json.loads(load(path))
    key = rng.choice(list(tree))
    text = json.dumps(tree).encode()
    store(path, text[:-1] + b"," + json.dumps({key: tree[key]}).encode()[1:])
    return f"{key} twice"


def nonsense(rng, path):
    text = rng.choice(RAW).text
    store(path, text)
    return f"all of it is {text[:20]}"


def sizes(rng, path):
    """Several that multiply past what there is."""
    tree = json.loads(load(path))
    text = tree["text_config"]
    keys = rng.sample([k for k in text if isinstance(text[k], int)], 3)
    for key in keys:
        text[key] = rng.choice((2**16, 2**20, 2**31 - 1, 2**32, 2**40))
    store(path, json.dumps(tree).encode())
    return f"large {keys}"


def outside(rng, path):
    """The index names files that are not of this folder, though they are there."""
    tree = json.loads(load(path))
    names = tree["weight_map"]
    old = rng.choice(sorted(set(names.values())))
    dirname = os.path.dirname(path)
    other = os.path.join(dirname, "..", "outside")
    os.makedirs(other, exist_ok=True)
    os.replace(os.path.join(dirname, old), os.path.join(other, old))
    new = rng.choice(("../outside/" + old, os.path.realpath(other) + "/" + old, "..", "", ".",
                      "x/../../outside/" + old, old + "\u0000", "./../outside/" + old))
    tree["weight_map"] = {k: new if v == old else v for k, v in names.items()}
    store(path, json.dumps(tree).encode())
    return f"{old} is {new!r}"


def offsets(rng, head, size):
    """One tensor, elsewhere."""
    name = rng.choice([n for n in head if n != "__metadata__"])
    begin, end = head[name]["data_offsets"]
    edge = rng.choice(NUMBERS)
    head[name]["data_offsets"] = rng.choice((
        [begin, edge], [edge, end], [edge, edge], [end, begin], [size, size + end - begin],
        [2**64 - (end - begin), 2**64], [begin + 1, end + 1], [begin, end - 1], [begin], [],
        [begin, end, end], [2**63 - 1, 2**63 - 1 + end - begin], [-1, end], [0, end - begin]))
    return f"{name} at {head[name]['data_offsets']}"


def swapped(rng, head, _size):
    a, b = rng.sample([n for n in head if n != "__metadata__"], 2)
    head[a]["data_offsets"], head[b]["data_offsets"] = (
        head[b]["data_offsets"], head[a]["data_offsets"])
    return f"offsets of {a} and {b} swapped"


def shape(rng, head, _size):
    name = rng.choice([n for n in head if n != "__metadata__"])
    old = head[name]["shape"]
    head[name]["shape"] = rng.choice((
        old[::-1], [], old + [1], [1] + old, [n + 1 for n in old], [2**32, 2**32],
        [2**63, 2], [2**64 - 1], [0], [-n for n in old], [0.5], [1] * 1000, "x", [2**16] * 5))
    return f"{name} of shape {str(head[name]['shape'])[:60]}"


def dtype(rng, head, _size):
    name = rng.choice([n for n in head if n != "__metadata__"])
    head[name]["dtype"] = rng.choice(DTYPES)
    return f"{name} of {head[name]['dtype']}"


def rename(rng, head, _size):
    name = rng.choice([n for n in head if n != "__metadata__"])
    new = rng.choice((name + "x", "", "x" * 100000, name[:-1], name + "\u0000", "\n", "\x1b[31m"))
    head[new] = head.pop(name)
    return f"{name} is called {new[-60:]!r}"


def headers(rng, path):
    """The header of a safetensors file."""
    head, data = parts(path)
    how = rng.randrange(8)
    if how < 5:
        what = (offsets, offsets, swapped, shape, dtype)[how](rng, head, len(data))
    elif how == 5:
        what = rename(rng, head, len(data))
    elif how == 6:
        name = rng.choice(list(head))
        text = json.dumps(head).encode()
        head = text[:-1] + b"," + json.dumps({name: head[name]}).encode()[1:]
        what = f"{name} twice"
    else:
        head, what = change(rng, head)
    write(path, head, data)
    return what


def across(rng, path):
    """A tensor that another shard has too."""
    dirname, name = os.path.split(path)
    others = [n for n in sorted(os.listdir(dirname)) if n.endswith(".safetensors") and n != name]
    if not others:
        return "nothing"
    theirs, _ = parts(os.path.join(dirname, rng.choice(others)))
    head, data = parts(path)
    tensor = rng.choice(list(theirs))
    head[tensor] = rng.choice(list(head.values()))
    write(path, head, data)
    return f"{tensor} here too"


def values(rng, path):
    """Numbers that are none, and scales beyond what there is."""
    head, data = parts(path)
    data = bytearray(data)
    name = rng.choice([n for n in head if n != "__metadata__"])
    begin, end = head[name]["data_offsets"]
    what = {"BF16": (b"\x80\x7f", b"\xc0\x7f", b"\x80\xff", b"\x7f\x7f"), "U8": (b"\xff", b"\xfd"),
            "F32": (b"\x00\x00\x80\x7f", b"\x00\x00\xc0\xff", b"\xff\xff\x7f\x7f")}
    new = rng.choice(what.get(head[name]["dtype"], (b"\xff",)))
    count = (end - begin) // len(new)
    if count == 0:
        return "nothing"
    n = rng.choice((1, count))
    at = begin + rng.randrange(count - n + 1) * len(new)
    data[at:at + n * len(new)] = new * n
    write(path, head, data)
    return f"{n} of {name} are {new.hex()}"


JSON = (document, document, document, twice, nonsense)
SHARD = (headers, headers, headers, across, values, values)
