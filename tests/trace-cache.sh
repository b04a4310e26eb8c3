#!/bin/bash
# trace-cache.sh - a replay counts what the engine counted, and what is known
#
# Runs of k3-decode with small caches, whose routes are replayed; and hit rates
# of recordings that are known.  Prints TAP; needs K3_BIN and K3_TOYS, and
# ../shared for the recordings.

set -eu -o pipefail
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

result() {
	n=$((n + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $n - $3"
	else
		echo "not ok $n - $3"
		printf '# %s\n# %s\n' "$1" "$2"
		bad=1
	fi
}

# field NAME: the last number of that name, which is the total's.
field() {
	grep -o "\"$1\":[0-9]*" "$tmp/report" | tail -n 1 | cut -d: -f2
}

engine() {
	local name
	for name in cached_experts demands hits misses evictions bypassed; do
		field $name
	done | xargs
}

# same TOY CACHE OPTION ...: a run with so much cache, and its replay.
same() {
	local toy=$1 ram=$2 model=${K3_TOYS:?}/$1
	shift 2
	k3-decode -q -m "$model" -n 20 --stop none --cache-ram "$ram" -R "$tmp/report" \
	    --route "$tmp/routes" "$@" "$tmp/ids" >/dev/null
	result "$(engine)" "$(k3-trace cache --policy own --slots "$(field cached_experts)" "$tmp/routes" |
	    awk -F '\t' 'NR == 2 { print $2, $5, $6, $7, $8, $9 }')" \
	    "$toy: cache $ram, $(field cached_experts) experts, $*"
	# A cache that misses, so that there is something to compare.
	slots="$slots $(field cached_experts)"
	evictions=$((evictions + $(field evictions)))
	bypassed=$((bypassed + $(field bypassed)))
}

# A long sequence, an empty one, two short ones.
awk 'BEGIN {
	for (i = 0; i < 60; i++)
		printf "%d%s", (i * i * 7 + 3) % 290, i < 59 ? " " : "\n\n"
	print "1 2 3"
	print "200 100 50 25"
}' >"$tmp/ids"

evictions=0 bypassed=0 slots=
for ram in 0 64K 300K 1M 2M 64M; do
	same wide $ram --chunk 7
done
same wide 300K --chunk 64
same wide 300K --chunk 1 --lookahead 5
same wide 1M --chunk 13 --lookahead 16 --io pread
same odd 100K --chunk 5 --lookahead 2
same thirteen 0
same mixed 80K --chunk 3
result "$((evictions > 0 && bypassed > 0))" 1 \
    "of $evictions evictions and $bypassed that bypass"
result "$(($(tr ' ' '\n' <<<"$slots" | sort -u | wc -l) > 5))" 1 "caches of$slots experts"

# known FILE POLICY SLOTS PERCENT ...
known() {
	local file=../shared/data/real/$1 policy=$2 slots=$3
	shift 3
	if [ ! -e "$file" ]; then
		n=$((n + 1))
		echo "ok $n - $file, $policy # SKIP it is not there"
		return
	fi
	result "$(k3-trace cache --policy "$policy" --slots "$slots" "$file" |
	    awk 'NR > 1 { printf "%.2f\n", 100 * $10 }' | xargs)" "$*" "$file, $policy"
}

known recompute-trace.bin lru 455,3647,7294 36.24 36.24 49.19
known recompute-trace.bin belady 455,3647,7294 39.42 61.74 84.59
known kimi-linear-decode.route lru 100,416,3328 0.00 41.76 87.08
known kimi-linear-decode.route belady 100,416,3328 37.38 64.26 91.17

# Through a pipe the same, and with files one after the other.
routes=tests/vectors/routes/demo.route
k3-trace cache --slots 8,50,200 $routes >"$tmp/file"
result "$(k3-trace cache --slots 8,50,200 <$routes)" "$(cat "$tmp/file")" "a file is what a pipe is"
awk -F '\t' -v OFS='\t' 'NR == 1 || $1 < 20' $routes >"$tmp/one"
awk -F '\t' -v OFS='\t' 'NR == 1 || $1 >= 20' $routes >"$tmp/two"
result "$(k3-trace cache --slots 8,50,200 "$tmp/one" - <"$tmp/two")" \
    "$(cat "$tmp/file")" "two files are one run"
result "$(cut -f1,2,5,6 "$tmp/file" | sed -n '3p;6p;9p;12p' | xargs)" \
    "lru 50 2892 681 lfu 50 2892 977 own 50 2892 898 belady 50 2892 1692" "what is known of it"

echo "1..$n"
exit $bad
