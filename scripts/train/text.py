#!/usr/bin/python3
"""The King James text, cleaned: one verse a line, an empty line between two
chapters. The last 3 % of the verses of each book are held out.

    text.py OUTDIR      writes OUTDIR/train.txt and OUTDIR/held-out.txt

The text comes from the program bible(1), Debian package bible-kjv."""

import re
import subprocess
import sys

HELD_OUT = 0.03


def verses():
    """Yields (book, chapter, text) in the order of the text."""
    out = subprocess.run(["bible", "-f", "Gen1:1-Rev22:21"], check=True,
                         stdout=subprocess.PIPE).stdout.decode("ascii")
    for line in out.splitlines():
        m = re.match(r"(\w+?)(\d+):(\d+) (.*)$", line)
        if m is None:
            raise SystemExit("text.py: not a verse: " + line)
        text = re.sub(r"\s+", " ", m.group(4)).strip()
        yield m.group(1), int(m.group(2)), text


def join(part):
    """Verses to text: a chapter is a paragraph of lines."""
    lines = []
    before = None
    for book, chapter, text in part:
        if before is not None and before != (book, chapter):
            lines.append("")
        before = (book, chapter)
        lines.append(text)
    return "\n".join(lines) + "\n"


def split():
    """Returns (training text, held-out text)."""
    books = {}
    for v in verses():
        books.setdefault(v[0], []).append(v)
    train, held = [], []
    for part in books.values():
        cut = len(part) - int(len(part) * HELD_OUT)
        train += part[:cut]
        held += part[cut:]
    return join(train), join(held)


if __name__ == "__main__":
    texts = split()
    for name, text in zip(("train.txt", "held-out.txt"), texts):
        with open(sys.argv[1] + "/" + name, "w") as f:
            f.write(text)
        print(name, len(text), "characters")
