#!/bin/bash
# plan.sh - the plan of the released checkpoint, from its headers alone
#
# The sizes are those of the released files, byte for byte.  Prints TAP; needs
# K3_BIN, and ../shared for a checkpoint of headers without weights.

set -eu -o pipefail
PATH=${K3_BIN:?}:$PATH
skeleton=../shared/data/skeleton.py
if [ ! -e $skeleton ] || ! command -v python3 >/dev/null; then
	echo "ok 1 - the plan of Kimi K3 # SKIP $skeleton or python3 is not there"
	echo "1..1"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 $skeleton "$tmp" >/dev/null
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

# 300 MB is held against all memory mapped, which is more than is used, but for
# sanitizers, which map terabytes.
limit=300000
if grep -q __asan_init "$K3_BIN/k3-decode"; then
	limit=unlimited
fi
TIMEFORMAT='%U %S'
got=0
{ time (ulimit -v $limit && k3-decode -q -m "$tmp" -p desktop --plan=1000 >"$tmp/plan"); } \
    2>"$tmp/time" || got=1
result $got "a plan within 300 MB"
echo "# $(cat "$tmp/time") s of CPU"
got=0
awk '{ exit $1 + $2 < 2 ? 0 : 1 }' "$tmp/time" || got=1
result $got "and 2 s"

while read -r what; do
	got=0
	tr -s ' ' <"$tmp/plan" | grep -q "$what" || got=1
	result $got "$what"
done <<'EOF'
^checkpoint 1560936091448 96 files, 497220 tensors$
^routed experts 1446456066048 92 layers x 896 x 17547264$
^trunk 108811877376 93 layers$
^ layer 0 KDA, dense 2341213184$
^ layer 1 KDA, MoE 1267744256$
^ layer 3 MLA, MoE 844335616$
^head 4697663488$
^KDA state 434110464 + 30523392 convolution inputs$
^latents, a position 55296$
EOF
echo "1..$n"
exit $bad
