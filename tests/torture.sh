#!/bin/bash
# torture.sh - damaged models, trunks and sessions: refused by name, or without effect
#
# K3_LONG=COUNT tens of damages (default 4), drawn by K3_SEED; K3_FIRST=N and
# K3_LONG=1 begin with that of this number.  Prints TAP; needs K3_BIN and
# K3_TOYS.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=${K3_BIN:?}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=$((10 * ${K3_LONG:-4})) seed=${K3_SEED:-1}

for toy in odd mixed tiny; do
	dir=$tmp/bases/$toy
	mkdir -p "$dir"
	cp "${K3_TOYS:?}/$toy"/* "$dir"
	"$bin/k3-verify" checkpoint -v "$dir" 2>/dev/null |
	    sed -n "s/.*tensor '\(.*\)': nobody needs it\$/\1/p" >"$dir/unneeded"
	"$bin/k3-verify" checkpoint -q --make-digests "$dir" >/dev/null
	"$bin/k3-pack" -q -m "$dir"
	echo 5 6 7 8 | "$bin/k3-decode" -q -m "$dir" -n 4 --stop none \
	    --save "$dir/session" >"$tmp/out"
done
echo "# seed $seed"
echo "1..$count"
cd "$tmp"
python3 -B "$here/torture.py" "$bin" "$tmp/bases" "${K3_FIRST:-0}" "$count" "$seed"
