"""Damage to the bytes of a file, whatever it is, and to the file as such.

Each takes a random.Random and a path, and says what it did."""
import os
import shutil
import socket
import struct

EDGES = (0, 1, 7, 8, 63, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1,
         2**63, 2**64 - 4096, 2**64 - 8, 2**64 - 1)


def load(path):
    with open(path, "rb") as f:
        return bytearray(f.read())


def store(path, data):
    with open(path, "wb") as f:
        f.write(data)


def place(rng, size):
    """An offset: anywhere, or where heads and trailers are."""
    at = rng.choice((size, size, 16, 256, 4096))
    at = rng.randrange(max(1, min(at, size)))
    return size - 1 - at if rng.random() < 0.1 else at


def cut(rng, path):
    size = os.path.getsize(path)
    at = place(rng, size)
    os.truncate(path, at)
    return f"cut at {at} of {size}"


def empty(_rng, path):
    os.truncate(path, 0)
    return "empty"


def flip(rng, path):
    data = load(path)
    at, bit = place(rng, len(data)), rng.randrange(8)
    data[at] ^= 1 << bit
    store(path, data)
    return f"bit {bit} of byte {at} flipped"


def fill(rng, path):
    data = load(path)
    at = place(rng, len(data))
    n = min(len(data) - at, rng.choice((1, 2, 8, 64, 4096, 100000)))
    byte = rng.choice((0, 0, 0xff, 0x7f, 0x80, 0x22, 0x7d, 0x0a))
    data[at:at + n] = bytes((byte,)) * n
    store(path, data)
    return f"{n} bytes from {at} are {byte}"


def noise(rng, path):
    data = load(path)
    at = place(rng, len(data))
    n = min(len(data) - at, rng.choice((1, 4, 64, 5000)))
    data[at:at + n] = rng.randbytes(n)
    store(path, data)
    return f"{n} bytes from {at} are noise"


def number(rng, path):
    data = load(path)
    if len(data) < 8:
        return "nothing"
    at = min(place(rng, len(data)) // 8 * 8, len(data) - 8)
    value = rng.choice(EDGES)
    data[at:at + 8] = struct.pack("<Q", value)
    store(path, data)
    return f"the 8 bytes at {at} are {value}"


def shift(rng, path):
    data = load(path)
    at, n = place(rng, len(data)), rng.choice((1, 8, 4096))
    if rng.random() < 0.5:
        data[at:at] = rng.randbytes(n)
    else:
        del data[at:at + n]
    store(path, data)
    return f"{n} bytes more or less at {at}"


def append(rng, path):
    n = rng.choice((1, 8, 4096))
    with open(path, "ab") as f:
        f.write(rng.choice((bytes(n), rng.randbytes(n))))
    return f"{n} bytes more at the end"


def exchange(rng, path):
    data = load(path)
    n = rng.choice((2, 64, 1000))
    if len(data) < 2 * n:
        return "nothing"
    a, b = sorted(rng.sample(range(len(data) // n), 2))
    a, b = a * n, b * n
    data[a:a + n], data[b:b + n] = data[b:b + n], data[a:a + n]
    store(path, data)
    return f"{n} bytes at {a} and {b} exchanged"


BYTES = (cut, cut, empty, flip, flip, flip, fill, fill, noise, number, shift, append, exchange)


def link(to):
    def make(_rng, path):
        os.remove(path)
        os.symlink(to, path)
        return f"a link to {to}"
    return make


def itself(_rng, path):
    os.remove(path)
    os.symlink(os.path.basename(path), path)
    return "a link to itself"


def elsewhere(_rng, path):
    """No damage: this must work."""
    os.rename(path, path + ".moved")
    os.symlink(path + ".moved", path)
    return "a link to where it is now"


def fifo(_rng, path):
    os.remove(path)
    os.mkfifo(path)
    return "a FIFO"


def folder(_rng, path):
    os.remove(path)
    os.mkdir(path)
    return "a folder"


def unix(_rng, path):
    os.remove(path)
    s = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(os.path.dirname(path))  # a name of 108 bytes at most
    s.bind(os.path.basename(path))
    os.chdir(here)
    s.close()
    return "a socket"


def monster(rng, path):
    size = rng.choice((1 << 32, 1 << 40, 8 << 40))
    try:
        os.truncate(path, size)
    except OSError:
        return "nothing"
    return f"grown to {size} bytes"


def hollow(rng, path):
    size = rng.choice((os.path.getsize(path), 1 << 36, 8 << 40))
    os.truncate(path, 0)
    try:
        os.truncate(path, size)
    except OSError:
        return "empty"
    return f"{size} bytes that are a hole"


def unreadable(_rng, path):
    os.chmod(path, 0)
    return "unreadable"


def gone(_rng, path):
    os.remove(path)
    return "gone"


def swap(rng, path):
    """With another file of its kind."""
    dirname, name = os.path.split(path)
    ending = os.path.splitext(name)[1]
    others = sorted(n for n in os.listdir(dirname) if n.endswith(ending) and n != name)
    if not others:
        return "nothing"
    other = os.path.join(dirname, rng.choice(others))
    shutil.move(path, path + "~")
    shutil.move(other, path)
    shutil.move(path + "~", other)
    return "swapped with " + os.path.basename(other)


FILES = (link("/dev/zero"), link("/dev/full"), link("/dev/tty"), link("/proc/self/mem"),
         link("nowhere"), link("/"), link("."), itself, elsewhere, fifo, folder, unix, monster,
         hollow, unreadable, gone, swap)
