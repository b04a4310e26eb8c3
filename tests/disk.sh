#!/bin/bash
# disk.sh - k3-trace disk is stopped at any moment; where there is no device
#
# Prints TAP; needs K3_BIN.

set -u
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d) shm=
trap 'rm -rf "$tmp" ${shm:+"$shm"}' EXIT
n=0 bad=0

# result WHAT WANTED GOT
result() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		bad=1
		echo "not ok $n - $1"
		echo "# $3, and not $2"
	fi
}

# stop SIGNAL SECONDS ARGUMENT ...: its status, and what it leaves.
stop() {
	local sig=$1 after=$2 pid
	shift 2
	mkdir "$tmp/dir"
	env --default-signal k3-trace disk "$@" "$tmp/dir" >"$tmp/out" 2>&1 &
	pid=$!
	eval "$after"
	kill -s "$sig" $pid
	wait $pid
	echo "$? $(ls -A "$tmp/dir") $(wc -c <"$tmp/out")"
	rm -rf "$tmp/dir"
}

# Its temporary file is there, so it is being written.
begun() {
	for _ in {1..1000}; do
		[ ! -e "$tmp/dir/.k3-probe.tmp" ] || return
		sleep 0.01
	done
}

# The probe has its name, so it is being read.
written() {
	for _ in {1..3000}; do
		[ ! -e "$tmp/dir/k3-probe" ] || return
		sleep 0.01
	done
}

long="-q --seconds 20"
# shellcheck disable=SC2086 # words
{
	result "SIGTERM while a probe to keep is written" "143  0" \
		"$(stop TERM begun $long --size 2G --keep)"
	result "SIGINT while one without a name is" "130  0" \
		"$(stop INT 'sleep 0.2' $long --size 2G)"
	result "SIGHUP while one to keep is read" "129 k3-probe 0" \
		"$(stop HUP written $long --size 36M --keep)"
	result "SIGTERM while one without a name is" "143  0" \
		"$(stop TERM 'sleep 1' $long --size 36M)"
}

# It has been read to this end, or not opened yet.
head -c 40000000 /dev/zero >"$tmp/file"
k3-trace disk -q --seconds 20 "$tmp/file" >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 0.3
truncate -s 1000 "$tmp/file"
wait $pid
result "a file that gets shorter" 65 $?
result "with a message" 1 \
	"$(grep -cE 'the file ends here|too few to measure' "$tmp/err")"

if shm=$(mktemp -d -p /dev/shm 2>/dev/null) &&
    [ "$(stat -f -c %T "$shm")" = tmpfs ]; then
	k3-trace disk --json --size 36M --seconds 0.02 "$shm" >"$tmp/out" 2>"$tmp/err"
	result "memory is measured too" 0 $?
	result "and said to be no device" "1 1" \
		"$(grep -c '"direct": false' "$tmp/out") $(grep -c 'not its rates' "$tmp/err")"
	result "a probe in memory leaves nothing" "" "$(ls -A "$shm")"
else
	n=$((n + 1))
	echo "ok $n # SKIP no memory in /dev/shm"
fi
echo "1..$n"
exit $bad
