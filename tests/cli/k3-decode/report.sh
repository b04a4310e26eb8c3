# Seconds add up, counters too, and the file is private.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 3 --stop none -R r >out
ls -l r | cut -c 1-10
# The same where everything is read again and again.
seq -s ' ' 1 40 | k3-decode -q -m "$K3_TOYS/big" -r 22M --chunk 16 -n 8 \
    --stop none -R streamed >/dev/null
cat >check.py <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
total = r["total"]
def ns(seconds):
    parts = {k: round(v * 1e9) for k, v in seconds.items()}
    wall = parts.pop("wall")
    assert sum(parts.values()) == wall
    assert all(0 <= v <= wall for v in parts.values())
    return parts
for p in r["passes"] + [total]:
    c = p["counters"]
    assert c["demands"] == c["hits"] + c["misses"]
    assert c["misses"] >= c["evictions"] + c["bypassed"]
    assert c["expert_bytes"] >= c["misses"] * r["model"]["expert_bytes"]
    assert 0 <= p["reads"]["depth"] <= 128
for k in total["counters"]:
    assert total["counters"][k] == sum(p["counters"][k] for p in r["passes"])
each = [ns(p["seconds"]) for p in r["passes"]]
for k in "compute", "trunk_wait", "expert_wait":
    assert ns(total["seconds"])[k] == sum(p[k] for p in each)
assert all(p["other"] == 0 for p in each)
assert r["io"] in ("aio", "pread")
print(len(each), total["reads"]["depth"] > 0, total["unused_bytes"] > 0)
P
python3 check.py r
python3 check.py streamed
python3 - <<'P'
import json
r = json.load(open("r"))
n = r["total"]["reads"]
assert n["bytes"] == sum(p["reads"]["bytes"] for p in r["passes"])
assert n["bytes"] >= r["total"]["counters"]["trunk_bytes"] / 2
assert n["busy"] > 0 and n["depth"] > 0
print([p["kind"] for p in r["passes"]], [p["ids"] for p in r["passes"]][0])
print(sorted(r))
out = [int(i) for i in open("out").read().split()]
print([p["next"] for p in r["passes"]] == out)
print(sum([p["ids"] for p in r["passes"]], []) == [1, 2, 3] + out[:-1])
print(r["peak_bytes"] > 0)
P
