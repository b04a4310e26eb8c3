#!/bin/bash
# memory.sh - peak memory stays under --ram, on a model larger than that
#
# Prints TAP; needs K3_BIN and K3_TOYS.  Sanitizers take memory of their own.

set -eu
if grep -q __asan_init "${K3_BIN:?}/k3-decode"; then
	echo "1..0 # SKIP built with a sanitizer"
	exit 0
fi
PATH=$K3_BIN:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
big=${K3_TOYS:?}/big
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

# The least memory that works, as the refusal says.
least=$(k3-decode -m "$big" -r 1M --plan 2>&1 | sed 's/.* is //')
model=$(cat "$big"/*.safetensors | wc -c)
seq -s ' ' 1 200 >"$tmp/ids"

for ram in "$least" $((model / 4)) $((model / 2)) $((3 * model / 2)); do
	for threads in 1 2; do
		if [ "$ram" -lt "$least" ]; then continue; fi
		got=1
		if k3-decode -q -m "$big" -r "$ram" -j "$threads" -n 30 --stop none \
		    -R "$tmp/r" "$tmp/ids" >"$tmp/out"; then
			peak=$(sed -n 's/^"peak_bytes":\([0-9]*\).*/\1/p' "$tmp/r")
			echo "# peak $peak"
			[ "$peak" -gt "$ram" ] || got=0
		fi
		result $got "$threads threads in $ram bytes, of a model of $model"
	done
done

# Sessions, written again and again and read, in the least that they take.
cd "$tmp"
for how in "--save s --autosave 0.001" "--load s --save t --autosave 0.001"; do
	# shellcheck disable=SC2086 # words
	k3-decode -q -m "$big" -r 1M $how -n 30 ids >refused 2>&1 || :
	ram=$(sed 's/.* is //' refused)
	got=1
	# shellcheck disable=SC2086 # words
	if k3-decode -q -m "$big" -r "$ram" $how -n 30 --stop none -R r ids >out; then
		peak=$(sed -n 's/^"peak_bytes":\([0-9]*\).*/\1/p' r)
		echo "# $ram bytes, peak $peak"
		[ "$peak" -gt "$ram" ] || got=0
	fi
	result $got "in the least: $how"
done
got=0
k3-decode -q -m "$big" -r $((least - 1)) "$tmp/ids" >"$tmp/none" 2>&1 || got=$?
[ "$got" = 69 ] && got=0
result "$got" "a byte less than the least is refused"
echo "1..$n"
exit $bad
