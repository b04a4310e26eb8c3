#!/bin/bash
# sessions.sh - a run that is stopped at any moment goes on as if it had not been
#
# K3_LONG=COUNT runs of each kind (default 3), with moments and options drawn by
# K3_SEED.  Prints TAP; needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
# shellcheck source=tests/wait-for
. "$(dirname "$0")/wait-for"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
toys=${K3_TOYS:?}
count=${K3_LONG:-3} RANDOM=${K3_SEED:-1}
n=0 bad=0
cd "$tmp" || exit 1
ln -s "$toys/thirteen" model
k3-pack -q -m "$tmp/model" -o packed
seq -s ' ' 3 7 160 >ids
decode() {
	k3-decode -q -m "$tmp/model" --stop none "$@"
}

# The same in the background, where a signal is to meet the tool and no shell.
begin() {
	exec env --default-signal k3-decode -q -m "$tmp/model" --stop none "$@"
}

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

decode -n 40 --logits want.logits ids >want
decode -n 40 -e ids >want.echo
start=$(date +%s%N)
decode -n 40 --chunk 5 --trunk-ram 0 --cache-ram 0 ids >/dev/null
whole=$((($(date +%s%N) - start) / 1000000))
echo "# seed ${K3_SEED:-1}; $whole ms a run"

levels=(scalar)
for level in avx2 avx512 neon; do
	decode --plan --cpu $level >/dev/null 2>&1 && levels+=("$level")
done

# Options that change no result, into opts.
draw() {
	local chunks=(1 3 5 5 64) rams=(0 0 20K 1M)
	opts=(--chunk "${chunks[RANDOM % 5]}" -j $((RANDOM % 2 + 1))
	    --trunk-ram "${rams[RANDOM % 4]}" --cache-ram "${rams[RANDOM % 4]}"
	    --cpu "${levels[RANDOM % ${#levels[@]}]}")
	if [ $((RANDOM % 2)) = 0 ]; then opts+=(-t "$tmp/packed"); fi
}

# Kill what runs in the background after up to half of a run's time.
kill_later() {
	local ms=$(((RANDOM * 32768 + RANDOM) % whole / 2 + 1))
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
	begun $!
	kill -"$1" $! 2>/dev/null
	wait $! 2>/dev/null
	status=$?
}

# What a run that began with nothing wrote in pieces, and their logits.
pieces() {
	if ! cat out.* | cmp -s - "$tmp/want"; then
		echo "other IDs"
	elif ! cat logits.* | cmp -s - "$tmp/want.logits"; then
		echo "other logits"
	elif [ -e .s.tmp ]; then
		echo "a temporary file is left"
	else
		echo "the same"
	fi
}

# Stopped by a signal, several times.
for ((i = 0; i < count; i++)); do
	mkdir "$tmp/a" && cd "$tmp/a" || exit 1
	from=(-n 40 "$tmp/ids") said=
	for ((k = 10; k < 100; k++)); do
		draw
		if [ $k = 15 ]; then whole=$((4 * whole)); fi
		begin "${opts[@]}" --logits logits.$k --save s \
		    "${from[@]}" >out.$k 2>err.$k &
		kill_later TERM
		said=$said$(cat err.$k)
		if [ $status != 143 ]; then break; fi
		# Before the first pass there is nothing to save.
		if [ -e s ]; then from=(--load s /dev/null); fi
	done
	if [ $k -ge 15 ]; then whole=$((whole / 4)); fi
	result "SIGTERM $((k - 10)) times" "0 the same" "$status $(pieces)$said"
	cd "$tmp" && rm -r a
done

# A pass in work is ended also where nothing is to follow it: after fewer IDs,
# or after an ID that ends.  What comes then is a sequence of its own.
echo 1 2 3 >short
in_work() {
	k3-pack --list s 2>err | grep -q ' F32  *1x[0-9]* .* prefix$' &&
	    [ "$(k3-pack --list s | sed -n 's/.* U32  *\([0-9]*\) .* ids$/\1/p')" -gt 9 ]
}
for ((i = 0; i < 200 && i >= 0; i++)); do
	begin -n 110 --trunk-ram 0 --cache-ram 0 --save s short >out 2>&1 &
	kill_later TERM
	if in_work; then i=-9; fi
done
result "a pass is in work" -8 "$i"
last=$(tr ' ' '\n' <out | tail -n 1)
all=$(decode -n 110 short | cut -d ' ' -f 1-90)
for how in "-n 2" "-n 110 --stop $last"; do
	# shellcheck disable=SC2086 # words
	want=$(decode $how short | cut -d ' ' -f 1-9)
	# shellcheck disable=SC2086 # words
	got=$(printf '\n1 2 3\n' | decode $how --load s | sed -n 2p)
	result "a line after a session that is at its end: $how" "$want" \
		"$(echo "$got" | cut -d ' ' -f 1-9)"
	# shellcheck disable=SC2086 # words
	decode $how --load s --save t </dev/null >out.t
	got="$(cat out) $(decode -n 110 --load t </dev/null)"
	result "and it is saved" "$all" "$(echo "$got" | cut -d ' ' -f 1-90)"
done

# Killed: what autosave kept goes on, and -e shows all of the line.
for ((i = 0; i < count; i++)); do
	mkdir "$tmp/a" && cd "$tmp/a" || exit 1
	from=(-n 40 "$tmp/ids") killed=0
	for ((k = 0; k < 4; k++)); do
		draw
		begin "${opts[@]}" --save s --autosave 0.001 \
		    "${from[@]}" >out 2>err &
		kill_later KILL
		if [ $status = 137 ]; then killed=$((killed + 1)); fi
		if [ -e s ]; then from=(--load s /dev/null); fi
	done
	draw
	decode -e "${opts[@]}" --save s "${from[@]}" >out 2>err
	status=$?
	got="$status $(cmp out "$tmp/want.echo" 2>&1)$(cat err)$(ls -A)"
	result "SIGKILL $killed times, and an autosave goes on" "0 err
out
s" "$got"
	cd "$tmp" && rm -r a
done

# A closed pipe, and then the rest; the pipe's reader loses nothing.
mkfifo pipe
head -c 40 pipe >out.1 &
decode -n 40 --chunk 5 --save s ids >pipe
result "a closed pipe" 141 $?
wait
decode -e --load s /dev/null >out.2
result "then the whole line" "" "$(cmp out.2 want.echo 2>&1)"

# Several lines: the first one of the rest is the session's.
printf '5 6 7\n\n8 9\n1 2 3 4\n' | decode -n 9 --save s >lines
printf '5 6 7\n\n8 9\n' | decode -n 9 --save s >first
printf '\n1 2 3 4\n' | decode -n 3 --load s --save t >second
decode -n 9 --load t --save u /dev/null >third
result "lines" "$(sed -n 4p lines | cut -d ' ' -f 1-3) $(wc -l <second)" \
	"$(sed -n 2p second) 2"
result "an ended line goes on" "$(sed -n 4p lines | cut -d ' ' -f 4-9)" \
	"$(cut -d ' ' -f 1-6 third)"
decode -n 9 --load t --save v /dev/null >fourth
decode --load t --save w /dev/null >none
result "an ended line is left as it is" "" "$(cat none)$(cmp t w)"
result "the same again" "" "$(cmp third fourth)$(cmp u v)"

# A turn follows what the turn before has said, its last ID too.
echo 11 12 13 | decode -n 5 --save s >one
echo 21 22 | decode -n 6 --load s --chunk 1 >two
paste -d ' ' <(echo 11 12 13) one <(echo 21 22) | decode -n 6 >both
result "a turn after another" "$(cat both)" "$(cat two)"
echo 11 12 13 | decode -n 0 --save s >none
decode -n 5 --load s /dev/null >later
result "a prompt that was only read" "$(cat one)" "$(cat later)"

# What cannot be written leaves the session that was there.
cp s old
(ulimit -f 16 && decode -n 9 --save s ids >out 2>err)
result "a file that outgrows its limit" \
	"74 k3-decode: cannot write '$tmp/s': File too large" "$? $(cat err)"
result "the session from before is there" "" "$(cmp s old 2>&1)"
decode -n 200 ids --trunk-ram 0 --cache-ram 0 --chunk 1 >want.slow
(ulimit -f 16 && decode -n 200 --trunk-ram 0 --cache-ram 0 --chunk 1 \
    --save s --autosave 0.001 ids >out 2>err)
result "an autosave that fails does not end the run" "74 1" \
	"$? $(cmp out want.slow 2>&1)$(($(wc -l <err) > 1))"
k3-decode -v -m model --stop none -n 200 --trunk-ram 0 --cache-ram 0 --chunk 1 \
    --save v --autosave 0.001 ids >out 2>err
result "each save is told, with -v" "0 1" \
	"$? $(($(grep -cE "saved 'v': [0-9.e-]+ MB in [0-9.e-]+ s" err) > 1))"
if unshare -m true 2>/dev/null; then
	mkdir small
	export -f decode
	export tmp
	unshare -m bash -c 'mount -t tmpfs -o size=60k none small || exit 9
	    head -c 5 ids >small/s
	    decode -n 9 --save small/s ids >out 2>err
	    echo $? $(ls -A small) $(wc -c <small/s)' >said
	result "a full disk" "74 s 5" "$(cat said)"
	unshare -m bash -c 'mount -t tmpfs -o ro none small || exit 9
	    decode -n 9 --save small/s ids >out 2>err
	    echo $? $(wc -c <out)' >said
	result "a read-only folder is told before the first pass" "73 0" \
		"$(cat said)"
else
	echo "ok $((++n)) # SKIP a full disk: no mounts here"
fi

# Damage in each tensor is named; and no other model takes it.
cat >each.py <<'P'
import struct, sys
whole = open("s", "rb").read()
n, = struct.unpack_from("<I", whole, 20)
off, size = struct.unpack_from("<QQ", whole, 40)
for i in range(n):
    entry = whole[64 + 192 * i:256 + 192 * i]
    name = entry[:96].rstrip(b"\0").decode()
    grows, = struct.unpack_from("<I", entry, 104)
    at, length = struct.unpack_from("<QQ", entry, 144)
    at = off + size + 64 if grows else off + at
    if length == 0:
        continue
    # Of tensors that grow all are damaged, and the first is named.
    bad = bytearray(whole)
    bad[at + length - 1] ^= 4
    open("bad/" + name, "wb").write(bad)
P
mkdir bad
cp old s
python3 each.py
wrong=
for f in bad/*; do
	decode --load "$f" /dev/null >out 2>err
	[ $? = 65 ] && [ ! -s out ] && grep -q "tensor .*: digest" err ||
		wrong="$wrong $f: $(cat err)"
done
result "a bit in each of $(find bad -type f | wc -l) tensors" "" "$wrong"
k3-decode -q -m "$toys/odd" --load s /dev/null >out 2>err
result "another model's" "65 k3-decode: 's': it is a session of another model" \
	"$? $(cat err)"
echo "1..$n"
exit $bad
