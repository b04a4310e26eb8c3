"""Change a safetensors file's header: header.py FILE TENSOR KEY [JSON].

KEY is dtype, shape or data_offsets and JSON its new value; or "remove", or
"rename" and the new name, or "twice".  The data stays as it is.
"""
import json
import struct
import sys

path, name, key = sys.argv[1:4]
value = json.loads(sys.argv[4]) if len(sys.argv) > 4 else None
with open(path, "rb") as f:
    (size,) = struct.unpack("<Q", f.read(8))
    pairs = list(json.loads(f.read(size)).items())
    data = f.read()
at = [n for n, _ in pairs].index(name)
if key == "remove":
    del pairs[at]
elif key == "rename":
    pairs[at] = (value, pairs[at][1])
elif key == "twice":
    pairs.append(pairs[at])
else:
    pairs[at][1][key] = value
text = ("{" + ",".join(f"{json.dumps(n)}:{json.dumps(v)}" for n, v in pairs) + "}").encode()
with open(path, "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data)
