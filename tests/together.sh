#!/bin/bash
# together.sh - several tools on one model and one trunk at once
#
# All answers are right, whatever the others do: decode, pack, remove.  Prints
# TAP; needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
cp -r "${K3_TOYS:?}/odd" "$tmp/m" && cd "$tmp" || exit 1
chmod -R u+w m

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

# decode NAME OPTIONS: IDs and logits go to files of that name.
decode() {
	local name=$1
	shift
	k3-decode -q -m m -n 12 --stop none --logits "$name.l" "$@" ids >"$name"
}

# In little memory, so that all is read again and again.
small() {
	decode "$1" --trunk-ram 0 --cache-ram 0 "${@:2}" && same "$1"
}

same() {
	cmp "$1" base && cmp "$1.l" base.l
}

# Wait for each process: the worst status.
worst() {
	local pid status=0
	for pid; do
		wait "$pid" || status=$?
	done
	return "$status"
}

two() {
	local pids=()
	small a & pids+=($!)
	k3-route -q -m m ids >r & pids+=($!)
	worst "${pids[@]}" && cmp r routes
}

four() {
	local i pids=() engines=(aio pread)
	for i in 1 2 3 4; do
		small "d$i" --io "${engines[i % 2]}" & pids+=($!)
	done
	k3-route -q -m m --trunk-ram 0 --cache-ram 0 ids >r & pids+=($!)
	k3-verify checkpoint -q --digests m >/dev/null & pids+=($!)
	k3-verify trunk -q -m m >/dev/null & pids+=($!)
	worst "${pids[@]}" && cmp r routes
}

# A decoder that starts while a trunk is made or removed may find half of it:
# it says so, or answers right.
begun() {
	small "$1" "${@:2}" 2>"$1.err" && return
	local status=$?
	[ "$(wc -l <"$1.err")" = 1 ] && grep -q "^k3-decode: .*'m/trunk" "$1.err" &&
		return
	echo "status $status: $(cat "$1.err")"
	return 1
}

while_packing() {
	local i pids pack
	for i in 1 2 3 4 5 6; do
		rm -rf m/trunk
		pids=()
		begun "x$i" & pids+=($!)
		k3-pack -q -m m & pack=$!
		begun "y$i" & pids+=($!)
		begun "z$i" --io pread & pids+=($!)
		wait "$pack" && worst "${pids[@]}" && diff -r m/trunk trunk || return
	done
}

# One that has begun has its files open.
while_removing() {
	local i pid
	for i in 1 2 3 4; do
		cp -r trunk m/trunk
		begun e -t m/trunk & pid=$!
		sleep "0.0$i"
		k3-pack -q -m m --remove && [ ! -e m/trunk ] || return
		wait "$pid" || return
	done
}

# One of them writes a file, or both see that it is right.
two_packing() {
	local i pids
	for i in 1 2 3 4; do
		rm -rf p
		pids=()
		k3-pack -q -m m -o p 2>p1 & pids+=($!)
		k3-pack -q -m m -o p 2>p2 & pids+=($!)
		worst "${pids[@]}" || [ $? = 73 ] || return
		[ "$(cat p1 p2 | grep -vc 'another process is writing it')" = 0 ] &&
			k3-pack -q -m m -o p && diff -r p trunk || return
	done
}

printf '%s\n' '5 6 7 8 9' '' '1 2 3 4 5 6 7' >ids
decode base && k3-route -q -m m ids >routes && k3-pack -q -m m -o trunk &&
	k3-verify checkpoint -q --make-digests m >/dev/null || exit 1
ok "two tools on the shards" two
cp -r trunk m/trunk
ok "seven on shards, digests and one packed trunk" four
ok "decoding while the trunk is packed" while_packing
rm -rf m/trunk
ok "decoding while it is removed" while_removing
ok "two pack into one folder" two_packing
echo "1..$n"
exit $bad
