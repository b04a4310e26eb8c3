# What --json says, and that its rates are those of its rows.
k3-trace disk -q --json --size 36M --seconds 0.02 --depth 2,8 . >disk.json
cat >check.py <<'EOF'
import json
d = json.load(open("disk.json"))
rows = d["rows"]
print(list(d), list(rows[0]), d["k3-disk"], d["path"], sep="\n")
print([(r["pattern"], r["size"], r["depth"]) for r in rows])
rate = {(r["pattern"], r["depth"]): r["rate"] for r in rows}
print(d["expert_rate"] == rate["random", 8],
      d["trunk_rate"] == rate["sequential", 8],
      d["mixed_rate"] == rate["mixed", 8])
share = d["from_device"]
print(type(d["direct"]).__name__, share is None or 0 <= share <= 1)
print(d["io"] in ("aio", "pread"))
print(not d["direct"] or share is None or share >= 0.9)
EOF
python3 check.py
