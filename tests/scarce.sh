#!/bin/bash
# scarce.sh - little memory, few descriptors, read-only folders
#
# Each tool and verb ends with a status that its manual lists and one line, or
# does all that it should.  Prints TAP; needs K3_BIN and K3_TOYS.  Where root
# may mount, a folder is read-only for root too.

set -u
if [ -z "${K3_MOUNT:-}" ] && unshare -m true 2>/dev/null; then
	K3_MOUNT=yes exec unshare -m bash "$0"
fi
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'cd / && rm -rf "$tmp"' EXIT
# shellcheck source=tests/limits-jobs
. "$here/limits-jobs"

open_files() {
	local most
	for ((most = 4; ; most++)); do
		try "0 66 69 71 73 74" "$1" "with $most open files" limited n "$most" ||
			return
		[ "$last" != 0 ] || return 0
		[ "$most" -lt 200 ] || return
	done
}

# From where the program itself can be loaded.  What gnuplot says when it cannot
# be loaded is no line of a tool.
memory() {
	local size=4000 tool
	[[ $1 != picture\ * ]] || return 0
	read -ra tool <<<"${1#* }"
	[ "${tool[0]}" = - ] && tool=("${tool[1]}")
	until limited v "$size" "${tool[0]}" -V >/dev/null 2>&1; do
		size=$((size + 500))
		[ "$size" -lt 4000000 ] || return
	done
	for (( ; ; size = size * 3 / 2)); do
		try "0 69 71" "$1" "in $size KB" limited v "$size" || return
		[ "$last" != 0 ] || return 0
		[ "$size" -lt 4000000 ] || return
	done
}

# All that is read works; where it is to be written, 73.
read_only() {
	local line want
	for line in "${jobs[@]}"; do
		rm -rf disk/*
		job disk "$line" env || return
		ended 0 0 disk "${line%% *} of a read-only model" "$line" || return
	done
	for line in 'k3-pack -q -m m' 'k3-verify checkpoint -q --make-digests m' \
	    'k3-decode -q -m m -n 1 -R m/report ids' \
	    'k3-verify checkpoint -q --sha256=list --done m/done m'; do
		# shellcheck disable=SC2086 # a list
		$line >out 2>err
		ended 73 $? none "$line" || return
	done
}

prepare
if [ "$(nm -D "$K3_BIN/k3-decode" | grep -c '__[at]san_init')" = 0 ]; then
	ok "memory, from nothing to enough" all memory
else
	skip "memory, from nothing to enough" "a sanitizer takes terabytes"
fi
# A search for leaks needs descriptors of its own.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
ok "few open files" all open_files
if [ -n "${K3_MOUNT:-}" ]; then
	mount --bind m m && mount -o remount,ro,bind m
	ok "read-only folders" read_only
	umount m
elif [ "$(id -u)" != 0 ]; then
	chmod a-w m
	ok "read-only folders" read_only
	chmod u+w m
else
	skip "read-only folders" "root writes everywhere"
fi
echo "1..$n"
exit $bad
