#!/bin/bash
# limits.sh - full disks, small files, closed streams: for each tool and verb
#
# It ends with a status that its manual lists and one line, and what it leaves
# is whole, or a beginning.  Prints TAP; needs K3_BIN and K3_TOYS.  Where root
# may mount, disks of a few pages are small tmpfs.

set -u
if [ -z "${K3_MOUNT:-}" ] && unshare -m true 2>/dev/null; then
	K3_MOUNT=yes exec unshare -m bash "$0"
fi
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'cd / && rm -rf "$tmp"' EXIT
# shellcheck source=tests/limits-jobs
. "$here/limits-jobs"

# Disks of some pages, until there is room.
small_disks() {
	local size fail=0
	for ((size = 4; ; size = size * 3)); do
		mount -t tmpfs -o size="${size}k" k3 disk || return
		try "0 73 74" "$1" "on a disk of ${size}K" || fail=1
		# The kernel may hold it for a moment.
		umount -l disk || return
		[ "$fail" = 0 ] && [ "$size" -lt 40000 ] || return "$fail"
		[ "$last" != 0 ] || return 0
	done
}

file_limits() {
	local size
	for ((size = 1; ; size = size * 3)); do
		try "0 73 74" "$1" "in files of $size KB" limited f "$size" || return
		[ "$last" != 0 ] || return 0
		[ "$size" -lt 40000 ] || return
	done
}

closed() (
	[[ $1 != *0* ]] || exec <&-
	[[ $1 != *1* ]] || exec >&-
	[[ $1 != *2* ]] || exec 2>&-
	shift
	exec "$@"
)

# What is written to a stream that is closed is not written.
streams() {
	local which want
	for which in 0 1 2 01 12 012; do
		want=0
		[[ $which != *1* || $1 =~ ^(pack|picture)\  ]] || want=74
		rm -rf disk/*
		job disk "$1" closed "$which"
		last=$?
		[ "$last" = "$want" ] || { echo "${1%% *} without $which: $last" && return 1; }
		[[ $which != *2* ]] || [ ! -s err ] || return
		[ "$want" = 74 ] ||
			ended 0 0 disk "${1%% *} without $which" "$1" || return
	done
}

full() {
	local words
	read -ra words <<<"$1"
	"${words[@]:2}" >/dev/full 2>err
	ended 74 $? none "${words[0]} to a full disk"
}

# Logits and hidden states, routes, the report and a session tell of the prompt.
private() {
	find good/l good/h good/r good/j good/s -type f ! -perm 600 >others || return
	cat others
	[ ! -s others ]
}

prepare
ok "what tells of prompts is for its owner alone" private
if [ -n "${K3_MOUNT:-}" ]; then
	ok "disks of every size up to enough" all small_disks
else
	skip "disks of every size up to enough" "only root can mount"
fi
ok "limits on the size of a file" all file_limits
ok "standard output to a full disk" all full written
ok "closed standard streams" all streams
echo "1..$n"
exit $bad
