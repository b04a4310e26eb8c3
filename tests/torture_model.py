"""What a model folder holds, by a reader of safetensors of our own."""
import json
import os
import struct

INDEX = "model.safetensors.index.json"


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a name twice")
    return dict(pairs)


def header(path):
    """The header and where the data begins."""
    with open(path, "rb") as f:
        (size,) = struct.unpack("<Q", f.read(8))
        if size > os.path.getsize(path) - 8:
            raise ValueError("header")
        return json.loads(f.read(size), object_pairs_hook=once), 8 + size


def write(path, head, data):
    """A file of a header, a dictionary or bytes, and the data."""
    if not isinstance(head, bytes):
        head = json.dumps(head).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head + data)


def parts(path):
    """Header and data of a file that is good."""
    head, begin = header(path)
    with open(path, "rb") as f:
        f.seek(begin)
        return head, f.read()


def shards(folder):
    return sorted(n for n in os.listdir(folder) if n.endswith(".safetensors"))


def load(folder, name):
    path = os.path.join(folder, name)
    if not os.path.isfile(path) or os.path.getsize(path) > 1 << 30:
        raise ValueError(name)
    with open(path, "rb") as f:
        return json.loads(f.read())


def content(folder, unneeded):
    """{name: (dtype, shape, bytes)} of all that is needed, and what JSON says.

    Raises where something of it is not there, or not once."""
    all_of = {"config.json": load(folder, "config.json")}
    # A model may lack it, and a link to nowhere is nothing.
    if os.path.exists(os.path.join(folder, INDEX)):
        names = load(folder, INDEX)["weight_map"]
        all_of[INDEX] = {n: f for n, f in names.items() if n not in unneeded}
    for name in shards(folder):
        path = os.path.join(folder, name)
        if not os.path.isfile(path) or os.path.getsize(path) > 1 << 30:
            raise ValueError(name)
        head, data = parts(path)
        for tensor, what in head.items():
            if tensor == "__metadata__" or tensor in unneeded:
                continue
            begin, end = what["data_offsets"]
            if tensor in all_of or not 0 <= begin <= end <= len(data):
                raise ValueError(tensor)
            all_of[tensor] = (what["dtype"], what["shape"], data[begin:end])
    return all_of


def changed(base, folder, unneeded):
    """Which of what is needed is another in the folder; None: cannot be read."""
    try:
        now = content(folder, unneeded)
    except (ValueError, KeyError, TypeError, OSError, struct.error, RecursionError,
            AttributeError):
        return None
    if INDEX in base:
        now.setdefault(INDEX, base[INDEX])
    return {name for name in base if base[name] != now.get(name)}
