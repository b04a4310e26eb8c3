#!/bin/bash
# memory-group.sh - auto keeps to the limit of a control group, alone and twice
#
# Makes a group of version 1 below this one, which root can where that is
# mounted.  Prints TAP; needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
root=/sys/fs/cgroup/memory
own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
[ -d "$root$own" ] || own=
group=$root${own%/}/k3-test-$$

none() {
	echo "1..0 # SKIP $1"
	exit 0
}

if grep -q __asan_init "$K3_BIN/k3-decode"; then
	none "built with a sanitizer, which takes memory of its own"
fi
[ -e $root/memory.limit_in_bytes ] || none "no control groups of version 1"
mkdir "$group" 2>/dev/null || none "cannot make a control group"
tmp=$(mktemp -d)

# A group goes once its last process has.
finish() {
	rm -rf "$tmp"
	for _ in 1 2 3 4 5 6 7 8 9; do
		rmdir "$group" && return
		sleep 0.2
	done 2>/dev/null
}
trap finish EXIT
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

# k3-decode in the group: $1 takes its report and what it says.
decode() {
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
	    k3-decode -m "$big" --stop none -R "$@" 2>"$1.err"
}

field() {
	sed -n "s/.*\"$2\":\\([0-9]*\\).*/\\1/p" "$1" | tail -1
}

total() {
	sed -n 's/.*"total":\([0-9]*\),"chunk".*/\1/p' "$1"
}

seq -s ' ' 1 60 >"$tmp/ids"
k3-decode -q -m "$big" -n 8 --stop none "$tmp/ids" >"$tmp/want"
least=$(k3-decode -q -m "$big" -r 1M --plan 2>&1 | sed 's/.* is //')
model=$(cat "$big"/*.safetensors | wc -c)
echo "# the least is $least, the model $model"

for limit in $((least * 3 / 2)) $((model / 2)) $((model * 2)); do
	echo "$limit" >"$group/memory.limit_in_bytes" || exit 1
	got=1
	if decode "$tmp/r" -n 8 "$tmp/ids" >"$tmp/out"; then
		peak=$(field "$tmp/r" peak_bytes)
		echo "# planned $(total "$tmp/r"), peak $peak"
		if cmp -s "$tmp/out" "$tmp/want" && [ "$peak" -lt "$limit" ] &&
		    [ "$(total "$tmp/r")" -lt "$limit" ]; then
			got=0
		fi
	fi
	sed 's/^/# /' "$tmp/r.err"
	result $got "auto in a group of $limit bytes"
done
got=0
echo $((least / 2)) >"$group/memory.limit_in_bytes"
decode "$tmp/r" "$tmp/ids" >"$tmp/out" || got=$?
[ "$got" = 69 ] && got=0
result "$got" "a group of less than the least: refused"

# Two at once: the second counts what the first has taken.
limit=$((least * 8))
echo $limit >"$group/memory.limit_in_bytes"
mkfifo "$tmp/in"
decode "$tmp/1" -n 2 "$tmp/in" >"$tmp/out1" &
exec 3>"$tmp/in"
cat "$tmp/ids" >&3
for ((i = 0; i < 100; i++)); do
	if [ -s "$tmp/out1" ]; then break; fi
	sleep 0.1
done
got=1
decode "$tmp/2" -n 8 "$tmp/ids" >"$tmp/out2" && got=0
exec 3>&-
wait $! || got=1
cmp -s "$tmp/out2" "$tmp/want" || got=1
sum=$(($(total "$tmp/1") + $(total "$tmp/2")))
echo "# $(total "$tmp/1") and $(total "$tmp/2") of $limit"
[ $sum -lt $limit ] || got=1
sed 's/^/# /' "$tmp/2.err"
result $got "two at once fit into a group"

# Both begin at the same moment: the lock lets one after the other choose.
decode "$tmp/1" -n 2 - <"$tmp/ids" >"$tmp/out1" &
one=$!
decode "$tmp/2" -n 2 - <"$tmp/ids" >"$tmp/out2" &
two=$!
got=0
wait $one || got=1
wait $two || got=1
cmp -s "$tmp/out1" "$tmp/out2" || got=1
sed 's/^/# /' "$tmp/1.err" "$tmp/2.err"
result $got "two that begin together, too"
killed=$(sed -n 's/^oom_kill //p' "$group/memory.oom_control")
result "${killed:-0}" "none was killed for its memory"
echo "1..$n"
exit $bad
