# Without the engine's depth, the best row is the rate of experts.
k3-trace disk -q --json --io pread --size 36M --seconds 0.02 --depth 1,2,3 . >disk.json
python3 -c '
import json
d = json.load(open("disk.json"))
best = max(r["rate"] for r in d["rows"] if r["pattern"] == "random")
print(d["expert_rate"] == best, d["io"])'
