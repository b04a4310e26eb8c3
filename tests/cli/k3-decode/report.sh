# Seconds add up, counters too, and the file is private.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 3 --stop none -R r >out
ls -l r | cut -c 1-10
python3 - <<'P'
import json
r = json.load(open("r"))
s = r["total"]["seconds"]
assert abs(s["compute"] + s["trunk_wait"] + s["expert_wait"] + s["other"] - s["wall"]) < 1e-6
c = r["total"]["counters"]
assert c["demands"] == c["hits"] + c["misses"]
for k in c:
    assert c[k] == sum(p["counters"][k] for p in r["passes"])
n = r["total"]["reads"]
assert n["bytes"] == sum(p["reads"]["bytes"] for p in r["passes"])
assert n["bytes"] >= c["trunk_bytes"] / 2 and n["busy"] > 0 and n["depth"] > 0
print([p["kind"] for p in r["passes"]], [p["ids"] for p in r["passes"]][0])
print(sorted(r))
out = [int(i) for i in open("out").read().split()]
print([p["next"] for p in r["passes"]] == out)
print(sum([p["ids"] for p in r["passes"]], []) == [1, 2, 3] + out[:-1])
print(r["peak_bytes"] > 0)
P
