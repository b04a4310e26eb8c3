#!/bin/bash
# killed.sh - k3-pack is killed at any moment: run again, it ends with the same
#
# K3_LONG=COUNT kills (default 4), at moments drawn by K3_SEED.  Prints TAP;
# needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
toy=${K3_TOYS:?}/big
count=${K3_LONG:-4} RANDOM=${K3_SEED:-1}
n=0 bad=0 early=0
cd "$tmp" || exit 1
start=$(date +%s%N)
k3-pack -q -m "$toy" -o good || exit 1
whole=$((($(date +%s%N) - start) / 1000000 + 1))
echo "# seed ${K3_SEED:-1}; $whole ms a run"

# What was there when it was killed: each file whole, and at most one more.
judge() {
	local f
	for f in trunk/*; do
		[ ! -e "$f" ] || cmp "$f" "good/${f#*/}" || return
	done
	[ "$(find trunk -name '.*.tmp' 2>/dev/null | wc -l)" -le 1 ] ||
		{ ls -A trunk && return 1; }
}

# Killed so many times, then let be.
pack_again() {
	local kills=$1 after pid
	for (( ; kills > 0; kills--)); do
		after=$(((RANDOM * 32768 + RANDOM) % whole))
		k3-pack -q -m "$toy" -o trunk &
		pid=$!
		sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null || early=$((early + 1))
		echo "killed after $after ms"
		judge || return
	done
	if [ $((RANDOM % 4)) = 0 ]; then
		k3-pack -q -m "$toy" -o trunk --remove && [ ! -e trunk ]
	else
		k3-pack -q -m "$toy" -o trunk && diff -r trunk good
	fi
}

for ((i = 0; i < count; i++)); do
	n=$((n + 1))
	rm -rf trunk
	if pack_again $((1 + i % 3)) >said 2>&1; then
		echo "ok $n - run $i"
	else
		echo "not ok $n - run $i"
		sed 's/^/# /' said
		bad=1
	fi
done
echo "# $early kills came before the end"
echo "1..$n"
exit $bad
