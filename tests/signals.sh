#!/bin/bash
# signals.sh - a signal at any moment: no file is damaged, nothing wrong is told
#
# K3_LONG=COUNT runs (default 4), with moments drawn by K3_SEED.  Prints TAP;
# needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
# shellcheck source=tests/wait-for
. "$(dirname "$0")/wait-for"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
toy=${K3_TOYS:?}/thirteen
count=${K3_LONG:-4} RANDOM=${K3_SEED:-1}
printf '%s\n' '1 2 3 4 5 6 7 8 9' '' '10 11 12' >"$tmp/in"
least=$(k3-decode -q -m "$toy" -r 1M --plan 2>&1 | sed 's/.* is //')

# In little memory, so that it streams; all that it can write.  A shell has its
# background jobs ignore SIGINT.
decode() {
	exec env --default-signal k3-decode -q -m "$toy" -r "$ram" \
	    --chunk 4 --context 64 -n 20 --stop none --logits logits \
	    --route route --hidden hidden -R report "$tmp/in"
}

# The least with these options, as the refusal says.
ram=$least
mkdir "$tmp/base"
cd "$tmp/base" || exit 1
ram=$( (decode) 2>&1 >/dev/null | sed -n 's/.* is //p')
ram=${ram:-$least}
start=$(date +%s%N)
if ! (decode) >out; then
	echo "not ok 1 - a run of its own"
	echo "1..1"
	exit 1
fi
whole=$((($(date +%s%N) - start) / 1000000))
echo "# $whole ms a run in $ram bytes"
vocab=$(($(wc -c <logits) / $(wc -w <out)))

# Is a file the beginning of another?
begins() {
	cmp -s -n "$(wc -c <"$1")" "$1" "$2"
}

# What stands in this folder, after a run that ended with $1: "good", or why not.
judge() {
	local f
	for f in *; do
		case $f in
		out | logits | route | report | hidden) ;;
		*) echo "there is $f" && return ;;
		esac
	done
	if ! begins out ../base/out; then echo "other IDs" && return; fi
	if [ -e logits ]; then
		if [ $(($(wc -c <logits) % vocab)) != 0 ] ||
		    ! begins logits ../base/logits; then
			echo "other logits" && return
		fi
		if [ "$(wc -c <logits)" -lt $(($(wc -w <out) * vocab)) ]; then
			echo "fewer logits than IDs" && return
		fi
	fi
	if [ -e route ] && { ! begins route ../base/route ||
	    [ -n "$(tail -c 1 route)" ]; }; then
		echo "other routes" && return
	fi
	if [ -e report ] && ! python3 -m json.tool report >/dev/null; then
		echo "half a report" && return
	fi
	for f in hidden/*; do
		if [ -e "$f" ] && ! cmp -s "$f" "../base/$f"; then
			echo "another $f" && return
		fi
	done
	if [ "$1" = 0 ] && ! diff -rq -x report . ../base >/dev/null; then
		echo "done, and not all there" && return
	fi
	# Once there are IDs there are files.
	if [ -s out ] && [ ! -e logits ]; then echo "files are lost" && return; fi
	echo good
}

names=(INT TERM HUP PIPE)
n=0 bad=0 early=0
echo "# seed ${K3_SEED:-1}"
for ((i = 0; i < count; i++)); do
	sig=${names[RANDOM % 4]} draw=$((RANDOM * 32768 + RANDOM))
	mkdir "$tmp/$i" && cd "$tmp/$i" || exit 1
	if [ "$sig" = PIPE ]; then
		after=$((1 + draw % $(wc -c <../base/out)))
		(decode) 2>err | head -c $after >out
		status=${PIPESTATUS[0]}
	else
		after=$((draw % whole + 1))ms
		decode >out 2>err &
		pid=$!
		sleep "$(printf '0.%03d' $((${after%ms} % 1000)))"
		sleep $((${after%ms} / 1000))
		begun $pid
		kill -"$sig" $pid 2>/dev/null
		wait $pid 2>/dev/null
		status=$?
	fi
	why=$(cat err)
	rm err
	if [ "$status" = 0 ]; then
		early=$((early + 1))
	elif [ "$status" != $((128 + $(kill -l "$sig"))) ]; then
		why="$why status $status"
	fi
	got=$(judge "$status")
	if [ "$got" = good ] && [ -z "$why" ]; then
		echo "ok $((++n)) - SIG$sig after $after"
	else
		echo "not ok $((++n)) - SIG$sig after $after: $got $why"
		bad=1
	fi
	cd "$tmp" && rm -r "${tmp:?}/$i"
done
echo "# $early runs were done before the signal"
echo "1..$n"
exit $bad
