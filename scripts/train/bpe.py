#!/usr/bin/python3
"""The demo's byte-level BPE, in the released file form.

    bpe.py TEXT OUTDIR  learns from TEXT; writes OUTDIR/tiktoken.model and
                        OUTDIR/tokenizer_config.json

Ranks 0..255 are the single bytes in GPT-2's order, then one rank a merge. The
special ids begin after the ranks."""

import base64
import collections
import json
import re
import sys

RANKS = 1000
SPECIALS = 24           # ranks + specials = vocab_size = 1024

# offset from the first special id, name, "special" as the released file has
# it. The offsets up to 9 are the released ones. Offsets that are not listed
# are reserved ids.
NAMED = [(0, "[BOS]", True), (1, "[EOS]", True), (2, "<|end_of_msg|>", True),
         (3, "<|open|>", False), (4, "<|close|>", False),
         (5, "<|sep|>", False), (6, "[start_header_id]", True),
         (7, "[end_header_id]", True), (9, "[EOT]", True),
         (10, "<|media_begin|>", True), (11, "<|media_content|>", True),
         (12, "<|media_end|>", True), (13, "<|media_pad|>", True),
         (14, "<osagent_mode>", True), (22, "[UNK]", True),
         (23, "[PAD]", True)]

# The released pattern as far as ASCII goes, and the text is ASCII: there are
# no title-case, modifier, other letters, marks or Han in it.
ENDING = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
SPLIT = re.compile(
    r"[^\r\nA-Za-z0-9]?[A-Z]*[a-z]+" + ENDING +
    r"|[^\r\nA-Za-z0-9]?[A-Z]+[a-z]*" + ENDING +
    r"|[0-9]{1,3}"
    r"| ?[^\sA-Za-z0-9]+[\r\n]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"|\s+", re.ASCII)

BYTE_ORDER = [*range(33, 127), *range(161, 173), *range(174, 256)]
BYTE_ORDER += [b for b in range(256) if b not in set(BYTE_ORDER)]


def learn(text, ranks):
    """Returns the list of tokens (bytes) in rank order."""
    words = collections.Counter(SPLIT.findall(text))
    words = [([bytes([b]) for b in w.encode("ascii")], n)
             for w, n in words.items()]
    vocab = [bytes([b]) for b in BYTE_ORDER]
    while len(vocab) < ranks:
        pairs = collections.Counter()
        for parts, n in words:
            for pair in zip(parts, parts[1:]):
                pairs[pair] += n
        # Ties go to the smaller pair, so that the result does not depend on
        # the order of a dictionary.
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merged = best[0] + best[1]
        vocab.append(merged)
        for parts, _ in words:
            i = 0
            while i + 1 < len(parts):
                if parts[i] == best[0] and parts[i + 1] == best[1]:
                    parts[i:i + 2] = [merged]
                i += 1
    return vocab


class Tokenizer:
    def __init__(self, path):
        self.rank = {}
        with open(path) as f:
            for line in f:
                token, rank = line.split()
                self.rank[base64.b64decode(token)] = int(rank)
        self.token = {r: t for t, r in self.rank.items()}
        self.cache = {}

    def piece(self, word):
        """Merges the adjacent pair of the lowest rank until none merges."""
        parts = [bytes([b]) for b in word.encode("ascii")]
        while len(parts) > 1:
            ranks = [self.rank.get(a + b, 1 << 30)
                     for a, b in zip(parts, parts[1:])]
            i = ranks.index(min(ranks))
            if ranks[i] == 1 << 30:
                break
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        return [self.rank[p] for p in parts]

    def encode(self, text):
        ids = []
        for word in SPLIT.findall(text):
            if word not in self.cache:
                self.cache[word] = self.piece(word)
            ids += self.cache[word]
        return ids

    def decode(self, ids):
        return b"".join(self.token.get(i, b"") for i in ids).decode("latin-1")


def write_config(path):
    decoder = {}
    for offset, name, special in NAMED:
        decoder[str(RANKS + offset)] = {
            "content": name, "lstrip": False, "normalized": False,
            "rstrip": False, "single_word": False, "special": special}
    extra = [name for offset, name, special in NAMED
             if special and name not in ("[BOS]", "[EOS]", "[UNK]", "[PAD]")]
    with open(path, "w") as f:
        json.dump({"added_tokens_decoder": decoder,
                   "additional_special_tokens": extra,
                   "bos_token": "[BOS]", "clean_up_tokenization_spaces": False,
                   "eos_token": "[EOS]", "extra_special_tokens": {},
                   "model_max_length": 1048576, "pad_token": "[PAD]",
                   "tokenizer_class": "TikTokenTokenizer",
                   "unk_token": "[UNK]"}, f, indent=2)
        f.write("\n")


if __name__ == "__main__":
    text = open(sys.argv[1]).read()
    with open(sys.argv[2] + "/tiktoken.model", "w") as f:
        for rank, token in enumerate(learn(text, RANKS)):
            print(base64.b64encode(token).decode(), rank, file=f)
    write_config(sys.argv[2] + "/tokenizer_config.json")
    ids = Tokenizer(sys.argv[2] + "/tiktoken.model").encode(text)
    print(len(ids), "ids,", len(text) / len(ids), "characters an id")
