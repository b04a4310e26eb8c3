"""Overwrite bytes of one tensor in a model folder: damage.py DIR TENSOR OFFSET HEX."""
import json
import pathlib
import struct
import sys

folder, name, offset, data = sys.argv[1:]
for path in sorted(pathlib.Path(folder).glob("*.safetensors")):
    with open(path, "r+b") as f:
        (size,) = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(size))
        if name in header:
            f.seek(8 + size + header[name]["data_offsets"][0] + int(offset))
            f.write(bytes.fromhex(data))
            sys.exit(0)
sys.exit(f"{folder} has no tensor {name}")
