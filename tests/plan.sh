#!/bin/bash
# plan.sh - the plan of the released checkpoint, from its headers alone
#
# The sizes are those of the released files, byte for byte: of headers without
# weights, which ../shared can write, and of config.json alone.  Prints TAP;
# needs K3_BIN.

set -eu -o pipefail
PATH=${K3_BIN:?}:$PATH
skeleton=../shared/data/skeleton.py
k3=examples/kimi-k3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		bad=1
	fi
}

# plan_of NAME MODEL: the plan and what it takes to make it.  300 MB is held
# against all memory mapped, which is more than is used, but for sanitizers,
# which map terabytes.
plan_of() {
	local got=0 limit=300000
	if grep -q __asan_init "$K3_BIN/k3-decode"; then
		limit=unlimited
	fi
	TIMEFORMAT='%U %S'
	{ time (ulimit -v $limit && k3-decode -q -m "$2" -p desktop --plan=1000 >"$tmp/$1"); } \
	    2>"$tmp/time" || got=1
	result $got "$1: a plan within 300 MB"
	echo "# $(cat "$tmp/time") s of CPU"
	got=0
	awk '{ exit $1 + $2 < 2 ? 0 : 1 }' "$tmp/time" || got=1
	result $got "$1: and 2 s"
}

plan_of presumed $k3
while read -r what; do
	got=0
	tr -s ' ' <"$tmp/presumed" | grep -q "$what" || got=1
	result $got "$what"
done <<'EOF'
^routed experts 1446456066048 92 layers x 896 x 17547264$
^trunk 108811877376 93 layers$
^ layer 0 KDA, dense 2341213184$
^ layer 1 KDA, MoE 1267744256$
^ layer 3 MLA, MoE 844335616$
^head 4697663488$
^KDA state 434110464 + 30523392 convolution inputs$
^latents, a position 55296$
EOF

# But for the vision tower's two files, the names of the others, and where they
# are, all is the same.
if [ -e $skeleton ] && command -v python3 >/dev/null; then
	mkdir "$tmp/skeleton"
	python3 $skeleton "$tmp/skeleton" >/dev/null
	plan_of released "$tmp/skeleton"
	got=0
	tr -s ' ' <"$tmp/released" | grep -q '^checkpoint 1560936091448 96 files, 497220 tensors$' || got=1
	result $got "released: 96 files, 497220 tensors"
	got=0
	diff <(grep -vE '^(checkpoint|index|pins|total)' "$tmp/presumed") \
	    <(grep -vE '^(checkpoint|index|pins|total)' "$tmp/released") || got=1
	result $got "the released plan is the presumed one"
else
	echo "ok $((++n)) - the released plan # SKIP $skeleton or python3 is not there"
fi

# K3 in 32 GB, a prompt of 4,096 tokens: bytes that each token of it reads.
while read -r chunk want; do
	got=0
	k3-decode -q -m $k3 -r 32G --plan=4096 "$chunk" >"$tmp/plan" 2>/dev/null || got=1
	grep -q "$want" "$tmp/plan" || got=1
	result $got "$chunk: $want"
done <<'EOF'
--chunk=128 in passes of 128 tokens: 10.* GB a token
--chunk=512 in passes of 512 tokens: 2.* GB a token
--chunk=4096 in passes of 4096 tokens: 0.37.* GB a token
--disk=2.5 at  2.5 GB/s: 4.* s a token, 6.* s the prompt
EOF
got=0
k3-decode -q -m $k3 -r 32G --plan=4096 2>/dev/null | grep -q 'chunk 4096;' || got=1
result $got "the whole prompt is one chunk, where there is memory for it"
got=0
k3-decode -q -m $k3 -p laptop --plan=4096 2>/dev/null >"$tmp/plan" || got=1
awk '$1 == "chunk" { exit $2 <= 500000000 ? 0 : 1 }' "$tmp/plan" || got=1
result $got "and an eighth of a preset's memory at most"
got=0
k3-decode -q -m $k3 -r 32G --plan=4096 --json 2>/dev/null |
    python3 -c 'import json, sys
r = json.load(sys.stdin)["reads"]
t = r["times"][1]
assert r["prompt"] == 4096 and abs(t["disk"] - 3e9) < 1
assert abs(t["prompt_seconds"] * 3e9 / r["prompt_bytes"] - 1) < 1e-3
assert abs(t["token_seconds"] * 3e9 / (r["token_trunk_bytes"] + r["token_expert_bytes"]) - 1) < 1e-3' ||
    got=1
result $got "the same as JSON"
echo "1..$n"
exit $bad
