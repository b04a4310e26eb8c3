#!/bin/bash
# same.sh - one answer: IDs and logits do not depend on how they are computed
#
# The fixed list; with K3_LONG=COUNT that many combinations more, drawn from all
# models and options by K3_SEED.  Prints TAP; needs K3_BIN and K3_TOYS.

set -eu -o pipefail
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

# Sequences of one toy: a long prompt, a short one, an empty one.
prompts() {
	local vocab=$1
	awk -v v="$vocab" 'BEGIN {
		for (i = 0; i < 90; i++) printf "%d%s", (i * i * 7 + 3) % v, i < 89 ? " " : "\n"
		print "1 2 3\n"
	}'
}

# A model is copied where it can be packed; "base" is its plainest run.
prepare() {
	local toy=$1 dir=$tmp/$1 vocab
	[ ! -d "$dir" ] || return 0
	mkdir "$dir"
	if [ "$toy" = demo ]; then
		ln -s "$PWD"/examples/demo/* "$dir"
	else
		ln -s "${K3_TOYS:?}/$toy"/* "$dir"
	fi
	k3-pack -q -m "$dir" -o "$dir.trunk"
	vocab=$(k3-decode -m "$dir" --plan | awk '$1 == "logits" { print $2 / 4 }')
	prompts "$vocab" >"$dir.ids"
	run "$toy" base
	k3-decode -m "$dir" --plan |
	    awk '/^trunk/ { print $2, $3 } /^routed/ { print $3 }' |
	    tr '\n' ' ' >"$dir.sizes"
}

run() {
	local dir=$tmp/$1 name=$2
	shift 2
	k3-decode -q -m "$dir" -n 12 --stop none --logits "$dir.$name.logits" \
	    "$@" "$dir.ids" >"$dir.$name.out"
}

# Budgets: nothing, one layer, half of the model, all of it.
budget() {
	local toy=$1 trunk layers experts
	read -r trunk layers experts <"$tmp/$toy.sizes"
	case $2 in
	none) echo "--trunk-ram 0 --cache-ram 0" ;;
	layer) echo "--trunk-ram $((3 * trunk / layers)) --cache-ram $((experts / layers))" ;;
	half) echo "--trunk-ram $((trunk / 2)) --cache-ram $((experts / 2))" ;;
	all) echo "--trunk-ram $((2 * trunk + 99999999)) --cache-ram $((2 * experts))" ;;
	esac
}

check() {
	local toy=$1 budget=$2 packed=$3 opts
	shift 3
	prepare "$toy"
	opts="$(budget "$toy" "$budget") $*"
	if [ "$packed" = packed ]; then opts="$opts -t $tmp/$toy.trunk"; fi
	n=$((n + 1))
	# shellcheck disable=SC2086
	if run "$toy" other $opts && cmp "$tmp/$toy.base.out" "$tmp/$toy.other.out" &&
	    cmp "$tmp/$toy.base.logits" "$tmp/$toy.other.logits"; then
		echo "ok $n - $toy: budget $budget, $packed, $*"
	else
		echo "not ok $n - $toy: budget $budget, $packed, $*"
		bad=1
	fi
}

pick() {
	local i=$((RANDOM % $#))
	shift $i
	echo "$1"
}

models="thirteen odd wide mixed"
if [ -e examples/demo/model.safetensors ]; then models="$models demo"; fi

for toy in $models; do
	check "$toy" none shards -j 1 --chunk 1
	check "$toy" layer packed -j 2 --chunk 7
	check "$toy" half shards -j 2 --chunk 64
	check "$toy" all packed -j 1
	check "$toy" half packed -j 2 --cpu avx2
done
check thirteen none packed -j 2 --chunk 7 --cpu scalar
check odd all shards -j 1 --chunk 64 --cpu scalar
check mixed layer shards -j 2 --cpu scalar
check wide layer packed -j 2 --chunk 1 --lookahead 5 --io pread
check thirteen half shards -j 1 --chunk 1 --lookahead 2

levels=scalar
for level in avx2 avx512 neon; do
	if k3-decode -q -m "$K3_TOYS/tiny" --plan --cpu $level >/dev/null 2>&1; then
		levels="$levels $level"
	fi
done
count=${K3_LONG:-0} RANDOM=${K3_SEED:-1}
if [ "$count" -gt 0 ]; then echo "# seed ${K3_SEED:-1}"; fi
for ((i = 0; i < count; i++)); do
	# Expansions run in subshells, so each draw takes a seed from here.
	draws=()
	for k in 1 2 3 4 5 6 7 8; do
		draws[k]=$RANDOM
	done
	# shellcheck disable=SC2086
	toy=$(RANDOM=${draws[1]} && pick $models)
	# shellcheck disable=SC2086
	check "$toy" "$(RANDOM=${draws[2]} && pick none layer half all)" \
	    "$(RANDOM=${draws[3]} && pick shards packed)" \
	    -j "$(RANDOM=${draws[4]} && pick 1 2 3)" \
	    --chunk "$(RANDOM=${draws[5]} && pick 1 2 7 13 64 256)" \
	    --cpu "$(RANDOM=${draws[6]} && pick $levels)" \
	    --lookahead "$(RANDOM=${draws[7]} && pick 0 0 2 7)" \
	    --io "$(RANDOM=${draws[8]} && pick aio pread)"
done
echo "1..$n"
exit $bad
