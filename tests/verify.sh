#!/bin/bash
# verify.sh - k3-verify checkpoint: what was killed goes on; digests cost no bit
#
# K3_LONG=COUNT kills of each kind (default 4), at moments drawn by K3_SEED.
# Prints TAP; needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
# shellcheck source=tests/wait-for
. "$(dirname "$0")/wait-for"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=${K3_LONG:-4} RANDOM=${K3_SEED:-1}
n=0 bad=0
echo "# K3_SEED=${K3_SEED:-1}"
cp -r "${K3_TOYS:?}/big" "$tmp/big" && chmod -R u+w "$tmp/big"
cd "$tmp" || exit 1

# ok NAME COMMAND...
ok() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@" >said 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' said
		bad=1
	fi
}

verify() {
	k3-verify checkpoint "$@" big
}

# Seconds from 0 to 0.15, as sleep takes them.
moment() {
	printf '0.%03d' $((RANDOM % 150))
}

# killed SIGNAL OPTIONS: begun, and ended at some moment.
killed() {
	local signal=$1 pid
	shift
	k3-verify checkpoint "$@" big >/dev/null 2>&1 &
	pid=$!
	sleep "$(moment)"
	begun "$pid"
	kill -s "$signal" "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}

kills_of_making() {
	local i
	for ((i = 0; i < count; i++)); do
		rm -f big/k3-digests*
		killed KILL --make-digests
		killed TERM --make-digests
		killed KILL --make-digests
		verify -q --make-digests || return
		cmp big/k3-digests good || return
		[ ! -e big/k3-digests.part ] || return
	done
}

# Lines in any order, the last one torn at any byte.
parts() {
	local i size
	for ((i = 0; i < 3 * count; i++)); do
		rm -f big/k3-digests*
		{ head -n 1 good && sed 1d good | shuf --random-source=<(yes "$RANDOM"); } >whole
		size=$((RANDOM * 32768 + RANDOM))
		head -c $((size % $(wc -c <whole))) whole >big/k3-digests.part
		verify --make-digests || return
		cmp big/k3-digests good || return
	done
}

# Of another model, or with a line that cannot be: begun anew, and said.
bad_parts() {
	rm -f big/k3-digests*
	k3-verify checkpoint -q --make-digests -o big/k3-digests.part "$K3_TOYS/odd" &&
		verify --make-digests 2>err && grep -q 'begun anew' err &&
		cmp big/k3-digests good || return
	{ head -n 9 good && sed -n 3p good; } >big/k3-digests.part
	verify --make-digests 2>err && grep -q 'twice: begun anew' err &&
		cmp big/k3-digests good
}

kills_of_comparing() {
	local i
	for ((i = 0; i < count; i++)); do
		rm -f ok
		killed KILL --sha256=list --digests --done ok
		killed TERM --sha256=list --digests --done ok
		verify --sha256=list --digests --done ok >out || return
		[ "$(grep -c 'compared .* wrong 0$' out)" = 2 ] || return
		verify --sha256=list --digests --done ok >out || return
		[ "$(grep -c 'compared 0,.* wrong 0$' out)" = 2 ] || return
	done
}

# What a file was like when it was opened is what was looked at: one that was
# changed meanwhile is not remembered, though its bytes were right.
changed_meanwhile() {
	local pid i
	mkdir -p large && cp big/config.json big/*.safetensors large || return
	truncate -s 1G large/zeros
	(cd large && sha256sum ./zeros ./*.safetensors) | sed 's|\./||' >large.list
	rm -f ok
	k3-verify checkpoint -j 1 --sha256=large.list --done ok large >out 2>err &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		# shellcheck disable=SC2010 # names are known
		ls -l "/proc/$pid/fd" 2>/dev/null | grep -q 'large/zeros$' && break
		sleep 0.01
	done
	touch large/zeros
	wait "$pid" && grep -q 'wrong 0$' out && grep -q safetensors ok || return
	! grep zeros ok
}

# It waits for its list: what a signal asks for comes then.
signals() {
	mkfifo fifo
	k3-verify checkpoint --sha256=- big <fifo >out 2>err &
	local pid=$!
	exec 5>fifo
	catches_usr1 "$pid"
	kill -s USR1 "$pid"
	cat list >&5
	exec 5>&-
	wait "$pid" && grep -q 'MB/s' err || return
	k3-verify checkpoint --sha256=- big <fifo >out 2>err &
	pid=$!
	exec 5>fifo
	catches_usr1 "$pid"
	kill -s TERM "$pid"
	wait "$pid"
	local status=$?
	exec 5>&-
	[ "$status" = 143 ] && [ ! -s err ]
}

# k3-verify same: a line of progress when asked for, and death by the signal.
run_signals() {
	local pid i
	k3-verify same -q -n 4000 --quick -m big ids >out 2>err &
	pid=$!
	catches_usr1 "$pid"
	for ((i = 0; i < 100; i++)); do
		sleep 0.1
		kill -s USR1 "$pid" || return
		grep -q 'base: .* tokens' err && break
	done
	kill -s TERM "$pid"
	wait "$pid"
	[ $? = 143 ] && grep -q 'base: .* of 8006 tokens' err && [ ! -s out ]
}

# Two at once: one makes them, the other says so.
two_at_once() {
	rm -f big/k3-digests*
	flock -x big/k3-digests.part k3-verify checkpoint --make-digests big 2>err
	[ $? = 73 ] && grep -q 'another process is writing it' err
}

decodes_the_same() {
	local options
	for options in '' '--trunk-ram 0 --cache-ram 0' '--trunk packed' \
		'--lookahead 4 --cache-ram 3M' '-j 1 --chunk 1' '--io pread'; do
		# shellcheck disable=SC2086 # a list
		echo 5 6 7 8 9 | k3-decode -q -m big -n 8 --stop none $options >out || return
		cmp out want || return
	done
}

echo 5 6 7 8 9 | k3-decode -q -m big -n 8 --stop none >want
echo 5 6 7 8 >ids
k3-pack -q -m big -o packed
ok "digests are made" verify --make-digests
cp big/k3-digests good
(cd big && sha256sum ./*.safetensors) >list
ok "k3-decode with digests writes the same IDs, however it reads" decodes_the_same
ok "killed while it makes digests, it goes on" kills_of_making
ok "whatever is left of them" parts
ok "unless it is not of this model, or wrong" bad_parts
ok "killed while it compares, it goes on" kills_of_comparing
ok "what was changed while it was read is not remembered" changed_meanwhile
ok "signals" signals
ok "signals while a model is run" run_signals
ok "one makes them at a time" two_at_once
echo "1..$n"
exit $bad
