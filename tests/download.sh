#!/bin/bash
# download.sh - k3-download against a server that does all that goes wrong
#
# Prints TAP; needs K3_BIN and K3_TOYS.  A case in quotes is run by ok().
# shellcheck disable=SC2034

set -u -o pipefail
PATH=$PWD/scripts:${K3_BIN:?}:$PATH
tall=${K3_TOYS:?}/tall
tiny=$K3_TOYS/tiny
unset HF_TOKEN K3_MODEL
tmp=$(mktemp -d) || exit 1
trap 'kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
n=0 bad=0
seed=${K3_SEED:-$RANDOM}
RANDOM=$seed
log=$tmp/log m=$tmp/m

mkdir -p "$tmp/nested/sub/dir" && cp "$tiny/config.json" "$tmp/nested/sub/dir/x"
python3 tests/http-server.py "$log" tall="$tall" tiny="$tiny" nested="$tmp/nested" >"$tmp/ports" &
server=$!
while [ ! -s "$tmp/ports" ]; do sleep 0.05; done
read -r port other <"$tmp/ports"
at=http://127.0.0.1:$port

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$tmp/err"
		bad=1
	fi
}

# ok NAME COMMAND
ok() {
	local failed=0
	eval "$2" >"$tmp/got" 2>&1 || { failed=1; cat "$tmp/got" >>"$tmp/err"; }
	result $failed "$1"
}

# load FAULT OPTION...: what is to be had so of the tiny model.
load() {
	local fault=$1
	shift
	timeout 60 k3-download --jobs 2 --retries 3 --wait 0 --timeout 1 \
		--url "$at/tiny/$fault" "$@" "$m" >"$tmp/out" 2>"$tmp/err"
}

# Whatever happened, what has its final name is as it should be.
none_wrong() {
	local file
	for file in "$tiny"/*; do
		[ ! -e "$m/${file##*/}" ] || cmp "$file" "$m/${file##*/}" || return 1
	done
}

all_right() {
	diff -r -x k3-files -x k3-checked "$tiny" "$m"
}

# try STATUS FAULT MESSAGE OPTION...: in an empty folder; the message is a pattern.
try() {
	local want=$1 fault=$2 message=$3 got=0
	shift 3
	rm -rf "$m"
	load "$fault" "$@" || got=$?
	[ $got = "$want" ] && none_wrong && { [ $got != 0 ] || all_right; } &&
		if [ -n "$message" ]; then grep -qE -- "$message" "$tmp/err"; else [ ! -s "$tmp/err" ]; fi
	result $? "$fault: status $want${message:+, \"$message\"}${*:+, $*}"
}

# This one takes its seconds beside the others.
k3-download --timeout 1 --wait 0 --url "$at/tiny/stall" "$tmp/stall" 2>"$tmp/stalled" &
stall=$!

# Transfers that go wrong.
try 0 none ''
try 0 cut "'model.safetensors': .*; again in 0 s"
try 0 cut-always 'again in 0 s'
try 0 busy 'the server is busy \(HTTP (503|429)\); again'
try 0 busy '' -q
try 0 corrupt "'model.safetensors': its digest is [0-9a-f]{12}\.\.\., not [0-9a-f]{12}\.\.\.; from the beginning"
try 65 corrupt-always "^k3-download: cannot download 'model.safetensors': its digest is .*, 3 times$"
try 0 range-ignored 'the server does not go on where the file ends; again'
try 0 range-other 'the server does not go on where the file ends; again'
try 0 range-refused 'the server does not go on where the file ends; again'
try 0 range-half 'it ends after [0-9]+ of [0-9]+ bytes; again'
try 65 longer "^k3-download: cannot download 'model.safetensors': it is longer than the [0-9]+ bytes of the list$"
try 65 shorter "^k3-download: cannot download 'model.safetensors': it ends after [0-9]+ of [0-9]+ bytes$"
try 0 undigested ''
try 74 down "^k3-download: cannot download '.*': the server is busy \(HTTP 500\)$"
try 66 404 "^k3-download: cannot get '.*': it is not there: is 2496450e.* a revision of moonshotai/Kimi-K3\?$"
try 66 410 'the server refuses it \(HTTP 410\)$'
try 0 redirect ''
try 0 headers ''

ok "stall: goes on" 'wait $stall && grep -q "Operation too slow.*; again in 0 s" "$tmp/stalled" &&
	m=$tmp/stall all_right'

# The token goes to the server that asks, and nowhere else.
try 66 token "the server wants a token: set HF_TOKEN$"
export HF_TOKEN=hf_wrong
try 66 token 'HF_TOKEN must be a token that may read'
try 66 401 'the server does not accept the token in HF_TOKEN$'
ok "no message has the token" '! grep -r hf_ "$tmp/err" "$tmp/out" "$m"'
export HF_TOKEN=hf_right
: >"$log"
try 0 token ''
ok "it went to the one host and not to the other" '
	grep -q "^$port .*resolve.* token$" "$log" && grep -q "^$other " "$log" &&
	! grep "^$other .* token$" "$log"'
HF_TOKEN=$'hf\nurl = "x"'
try 64 none "^k3-download: cannot use 'HF_TOKEN': it has characters that no token has$"
unset HF_TOKEN

# Lists that are not to be believed.
for name in up in root line escape latin back own part twice empty none; do
	try 65 "name-$name" "^k3-download: '.*' line [0-9]+: (a name that|not a digest)"
done
for list in text object numbers cut empty negative half vast endless; do
	try 65 "list-$list" "^k3-download: '.*(it is not a list of files|no end|no files|: not a digest|a size of no kind)"
done
try 69 list-huge "^k3-download: cannot download to '.*': 900000000000000 bytes are missing and [0-9]+ are free$"
ok "nothing was written beside the folder" '[ ! -e "$tmp/evil" ] && [ ! -e /tmp/evil ]'

# What is there already.
rm -rf "$m"
load none
mkdir "$tmp/fake"
printf '#!/bin/sh\necho "$0" >>"%s"\nexec /usr/bin/sha256sum "$@"\n' "$tmp/hashed" >"$tmp/fake/sha256sum"
chmod +x "$tmp/fake/sha256sum"
: >"$log"
ok "what was checked is not asked for and not read again" '
	PATH=$tmp/fake:$PATH load none && [ ! -s "$log" ] && [ ! -e "$tmp/hashed" ]'
ok "but with --check" 'PATH=$tmp/fake:$PATH load none --check && [ ! -s "$log" ] && [ -s "$tmp/hashed" ]'

# spoil: another byte, the same size and the same time.
spoil() {
	touch -r "$m/$1" "$tmp/time"
	printf X | dd of="$m/$1" bs=1 seek=999 conv=notrunc status=none
	touch -r "$tmp/time" "$m/$1"
}
spoil model.safetensors
spoil config.json
got=0
load none --check || got=$?
ok "--check finds other bytes of the same size and time" '
	[ $got = 66 ] || [ $got = 65 ]
	[ "$(grep -cE "^k3-download: .(model.safetensors|config.json).: its digest is .* it is .*.wrong now$" "$tmp/err")" = 2 ] &&
	none_wrong && [ -e "$m/config.json.wrong" ] && [ ! -e "$m/config.json" ]'
ok "they are fetched again, and the wrong ones removed" 'load none && all_right'
rm -f "$m/k3-checked"
truncate -s 20000 "$m/model.safetensors"
: >"$log"
ok "a file that is too short is gone on with" '
	load none && all_right && grep -q "model.safetensors bytes=20000- " "$log"'
printf more >>"$m/model.safetensors"
ok "one that is too long is replaced" 'load none && all_right'
head -c 20000 /dev/zero >"$m/model.safetensors.part" && rm "$m/model.safetensors"
ok "a part that is wrong is noticed at its end" 'load none && all_right &&
	grep -q "from the beginning" "$tmp/err"'
printf '#k3-files 1 repository=moonshotai/Kimi-K3 revision=2496450e92e425c886db095102a52a6682ca3970\nx\n' >"$m/k3-files"
got=0
load none || got=$?
ok "a list in the folder is read with care" '[ $got = 65 ] && grep -q "k3-files. line 2: not a digest" "$tmp/err"'
: >"$log"
ok "another revision: another list, and the same files" '
	load none --revision main && grep -q /tree/main "$log" && ! grep resolve "$log" && all_right'
mkdir -p "$tmp/other" && mv "$m/model.safetensors" "$tmp/other" && ln -s "$tmp/other/model.safetensors" "$m"
ok "files may be links to another disk" 'load none && [ -L "$m/model.safetensors" ] && all_right'

# Folders in the list.
m=$tmp/into
into() {
	k3-download --url "$at/nested/none" "$@" "$m" >"$tmp/out" 2>"$tmp/err"
}
ok "folders of the list" 'into && cmp "$tiny/config.json" "$m/sub/dir/x"'
mkdir "$tmp/away"
mv "$m/sub/dir/x" "$tmp/away" && rmdir "$m/sub/dir" && ln -s "$tmp/away" "$m/sub/dir"
echo wrong >"$tmp/away/x"
for option in '' --check; do
	got=0
	into ${option:+"$option"} || got=$?
	ok "a link in the place of one is refused${option:+, $option}" '[ $got = 73 ] &&
		grep -q "^k3-download: cannot use .*/sub/dir.: it is a link" "$tmp/err" &&
		[ "$(ls -A "$tmp/away")" = x ] && [ "$(cat "$tmp/away/x")" = wrong ]'
done
mkdir -p "$tmp/work" "$tmp/elsewhere/sub"
ok "CDPATH leads nowhere else" '
	(PATH=$PWD/scripts:$PATH m=sub && cd "$tmp/work" && CDPATH=$tmp/elsewhere into) &&
	[ -e "$tmp/work/sub/sub/dir/x" ] && [ -z "$(ls -A "$tmp/elsewhere/sub")" ]'

# All of it, 96 shards, killed at any moment.
m=$tmp/tall
whole() {
	k3-download --wait 0 --url "$at/tall/$1" "${@:2}" "$m" >"$tmp/out" 2>"$tmp/err"
}
: >"$log"
for _ in 1 2 3; do
	setsid bash -c 'exec k3-download --url "$0" "$1"' "$at/tall/slow" "$m" 2>/dev/null &
	killed=$!
	sleep "0.$((RANDOM % 4 + 3))$((RANDOM % 10))"
	kill -9 $killed
	wait $killed 2>/dev/null
done
echo "# seed $seed: $(find "$m" -name '*.safetensors' | wc -l) shards, $(find "$m" -name '*.part' | wc -l) parts"
ok "parts are gone on with" '[ "$(find "$m" -name "*.part" | wc -l)" != 0 ]'
# What the killed ones had begun may hold the lock for a moment still.
for ((i = 0; i < 100; i++)); do
	env --default-signal=INT bash scripts/k3-download --url "$at/tall/slow" "$m" 2>"$tmp/err" & first=$!
	sleep 0.3
	grep -q "another k3-download works there" "$tmp/err" || break
	wait "$first" || :
done
got=0
k3-download --url "$at/tall/none" "$m" 2>"$tmp/second" || got=$?
ok "a second one refuses" '[ $got = 69 ] && grep -q "^k3-download: cannot lock .*: another k3-download works there$" "$tmp/second"'
kill -USR1 "$first"
for ((i = 0; i < 100; i++)); do
	grep -q "of 100 files" "$tmp/err" && break
	sleep 0.1
done
ok "SIGUSR1: a line of progress" \
	'grep -E "^k3-download: [0-9]+ of 100 files, [0-9.]+ of 4.40 MB, [0-9.]+ MB/s" "$tmp/err"'
kill -INT "$first"
got=0
wait "$first" || got=$?
ok "a signal ends it, by that signal" '[ $got = 130 ] && ! pgrep -f "curl.*$m"'
ok "a terminal is shown how far it is" '
	python3 -c "import pty, sys; pty.spawn(sys.argv[1:])" bash scripts/k3-download \
		--url "$at/tiny/pause" "$tmp/slow" >"$tmp/terminal" </dev/null &&
	grep -E "[0-3] of 4 files, [0-9.]+ of 0.06 MB, " "$tmp/terminal"'
ok "at last it is all there" 'whole none && diff -r -x k3-files -x k3-checked "$tall" "$m"'
ok "in pages" '[ "$(grep -c "/tree/" "$log")" -ge 3 ]'
ok "and what it is there for works" '
	ids=$(echo 3 4 5 | k3-decode -m "$m" -n 8 --stop none) &&
	[ "$ids" = "$(echo 3 4 5 | k3-decode -m "$tall" -n 8 --stop none)" ]'
ok "nothing is left beside it" '! find "$m" -name "*.part" -o -name "*.wrong" | grep .'

# The command line.
m=$tmp/m
usage() {
	local got=0
	k3-download "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || got=$?
	[ $got = 64 ]
	result $? "usage: $*"
}
usage
usage a b
usage --nonsense a
usage --check --list a
usage --jobs 0 a
usage --jobs 99 a
usage --retries x a
usage --timeout 0 a
usage --wait -1 a
usage --url file:///etc a
usage --url 'http://a b/' a
usage --revision 'a?b' a
ok "-h" 'k3-download -h | grep "^usage: k3-download " && ! k3-download -h >/dev/full'
ok "-V is the tools' version" '[ "$(k3-download -V)" = "k3-download $(k3-tok -V | cut -d " " -f 2)" ]'
ok "--list prints the list and keeps nothing" '
	rm -rf "$m" && load none --list && [ ! -e "$m" ] && [ "$(wc -l <"$tmp/out")" = 5 ] &&
	awk -F "\t" "NR > 1 && NF != 3 { exit 1 }" "$tmp/out"'
ok "the folder is K3_MODEL" '
	K3_MODEL=$m k3-download --url "$at/tiny/none" && all_right'
got=0
load none --check "$tmp/nowhere" || got=$?
ok "--check of two folders: usage" '[ $got = 64 ]'
rm "$m/tiktoken.model"
got=0
load none --check || got=$?
ok "--check says what is not there" '[ $got = 66 ] && grep -q ": 1 of 4 files are not there$" "$tmp/err"'
echo >"$tmp/file"
got=0
k3-download --url "$at/tiny/none" "$tmp/file/x" 2>"$tmp/err" || got=$?
ok "no folder can be made: status 73" '[ $got = 73 ]'
got=0
k3-download --url http://127.0.0.1:1 --retries 0 "$m.new" 2>"$tmp/err" || got=$?
ok "no server: status 74" '[ $got = 74 ] && grep -qi "cannot get .*connect" "$tmp/err"'
got=0
mkdir "$tmp/few"
for program in bash getopt dirname readlink awk; do ln -s "$(command -v $program)" "$tmp/few"; done
PATH=$tmp/few bash scripts/k3-download "$m" 2>"$tmp/err" || got=$?
ok "no curl: status 69" '[ $got = 69 ] && grep -q "^k3-download: cannot find .curl.: " "$tmp/err"'
echo "1..$n"
exit $bad
