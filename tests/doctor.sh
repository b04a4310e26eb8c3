#!/bin/bash
# doctor.sh - k3-doctor with nothing, half of a model and all of it
#
# A model of 96 shards is in the place of K3.  What the machine has is said by
# programs of the test, before the system's in PATH.  Prints TAP; needs K3_BIN
# and K3_TOYS.  A case in quotes is run by ok().
# shellcheck disable=SC2034

set -u -o pipefail
tall=${K3_TOYS:?}/tall
unset K3_MODEL HF_TOKEN
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
mkdir -p "$tmp/sys" "$tmp/bare/examples" "$tmp/built/build/bin"
cp -r scripts "$tmp/bare"
cp -r examples/kimi-k3 "$tmp/bare/examples"
cp -r "$tmp/bare/." "$tmp/built"
ln -s "$K3_BIN"/k3-* "$tmp/built/build/bin"
printf '#!/bin/sh\necho Avail\ncat "%s"\n' "$tmp/free" >"$tmp/sys/df"
printf '#!/bin/sh\ncat "%s"\n' "$tmp/arch" >"$tmp/sys/uname"
chmod +x "$tmp"/sys/*
uname -m >"$tmp/arch"
echo 2000000000000 >"$tmp/free"
m=$tmp/m

# doctor TREE OPTION...: sets status.
doctor() {
	local tree=$1
	shift
	status=0
	PATH=$tmp/sys:/usr/bin:/bin "$tmp/$tree/scripts/k3-doctor" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

ok() {
	n=$((n + 1))
	if eval "$2" >"$tmp/got" 2>&1; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
		bad=1
	fi
}

# row NAME PATTERN: does the table say so?
row() {
	grep -qE "^$1 +$2" "$tmp/out"
}

doctor bare "$m"
ok "nothing: status 0" '[ $status = 0 ] && [ ! -s "$tmp/err" ] && [ ! -e "$m" ]'
ok "nothing: not yet, and what can be known" '
	row tools "not yet: to be (built|installed)" && row cpu "(x86_64|aarch64), [0-9]+ cores" &&
	row memory "[0-9.]+ GB available" && row disk ".* 2000 GB free, not measured yet" &&
	row config "not yet: " && row tokenizer "not yet: " && row shards "not yet: 0 of 96" &&
	row trunk "not yet: 0 of 94" && row forecast "not yet: "'
ok "nothing: make is next" 'row next "(make|scripts/deps && make)$"'
printf '#!/bin/sh\n[ "$1" != -n ] || { echo gcc make && exit 69; }\n' >"$tmp/bare/scripts/deps"
doctor bare "$m"
ok "no compiler: deps is next" 'row tools "not yet: to be installed: gcc make" &&
	row next "scripts/deps && make$"'


# deps says what is missing, and changes nothing; no pictures are to be had here.
mkdir "$tmp/some"
ln -s /usr/bin/* "$tmp/some"
rm -f "$tmp"/some/{gnuplot*,apt-get,sudo}
printf '#!/bin/sh\necho "$0 $*" >>"%s"\n' "$tmp/asked" | tee "$tmp/some/apt-get" >"$tmp/some/sudo"
chmod +x "$tmp/some/apt-get" "$tmp/some/sudo"
PATH=$tmp/some scripts/deps -n build check >"$tmp/out" 2>"$tmp/err"
ok "deps -n asks for no lists" '[ ! -e "$tmp/asked" ]'

# Tools are where PATH says, and not in this folder.
mkdir -p "$tmp/here" "$tmp/elsewhere/rel"
for tool in k3-decode k3-trace; do
	printf '#!/bin/sh\ntouch "%s"\n' "$tmp/ran" >"$tmp/here/$tool"
	chmod +x "$tmp/here/$tool"
done
(cd "$tmp/here" && doctor bare "$m")
ok "without tools, those of this folder are not run" '[ ! -e "$tmp/ran" ] && row tools "not yet: "'
ln -s "$K3_BIN" "$tmp/here/rel"
(cd "$tmp/here" && PATH=$tmp/sys:rel:/usr/bin:/bin CDPATH=$tmp/elsewhere \
	"$tmp/bare/scripts/k3-doctor" --disk 2 "$m" >"$tmp/out" 2>"$tmp/err")
ok "CDPATH does not hide those of PATH" 'row tools "k3-decode [0-9.]+, in $tmp/here/rel$" && row forecast "[0-9.]+ s"'

# The name of a shard is no command, whatever it says.
mkdir "$tmp/names"
for name in '1+PPID[$(touch PWNED)]' x; do
	: >"$tmp/names/model-1-of-$name.safetensors"
	(cd "$tmp/names" && doctor bare "$tmp/names")
	ok "a shard of $name" '[ ! -e "$tmp/names/PWNED" ] && row shards "not yet: 0 of 96|1 of 96, 0 checked"'
	rm "$tmp/names"/model*
done

doctor built "$m"
ok "built: the disk is measured, and a forecast made" '
	[ $status = 0 ] && row tools "k3-decode [0-9.]+, in .*build/bin" &&
	row cpu ".*, level (scalar|avx2|avx512|neon), " && row memory "[0-9.]+ GB (available|allowed), " &&
	row preset auto && row disk ".* reads [0-9.]+ GB/s of trunk and [0-9.]+ GB/s of experts" &&
	row forecast "[0-9.]+ s a token, of reading"'
ok "built: k3-download is next" 'row next "k3-download $m$"'
ok "nothing is left behind" '[ ! -e "$m" ] && ! find "$tmp" -name "*probe*" | grep .'
doctor built --disk 2 "$m"
ok "--disk: a token of K3 takes the bytes by the rate" '
	row disk ".* 2 GB/s as said" && [ "$(sed -n "s/^forecast *\([0-9]*\).*/\1/p" "$tmp/out")" -gt 3 ]'

# Half of it.
mkdir "$m"
cp "$tall"/*.json "$tall"/tiktoken.model "$tall"/model-000[0-3]* "$m"
doctor built --disk 2 "$m"
ok "half a model, of unknown source" '
	[ $status = 0 ] && row config here && row tokenizer here &&
	row shards "39 of 96, 0 checked; not yet the others" && row next "k3-download $m$"'
(
	echo '#k3-files 1 repository=moonshotai/Kimi-K3 revision=x'
	cd "$tall" && for f in *; do
		printf '%s\t%s\t%s\n' "$(sha256sum <"$f" | cut -c 1-64)" "$(stat -c %s "$f")" "$f"
	done
) >"$m/k3-files"
check() {
	sed 1d "$m/k3-files" | while IFS=$'\t' read -r digest _ file; do
		[ ! -e "$m/$file" ] ||
			printf '%s\t%s\t%s\n' "$digest" "$(find "$m/$file" -printf '%s\t%T@')" "$file"
	done >"$m/k3-checked"
}
check
doctor built --disk 2 "$m"
missing=$(cat "$tall"/model-000[4-9]* | wc -c)
ok "half a model, checked" 'row shards "39 of 96, 39 checked$" && row next "k3-download $m$"'
echo $((missing - 1)) >"$tmp/free"
doctor built --disk 2 "$m"
ok "no room for the rest: status 69" '
	[ $status = 69 ] && row room "cannot: " && grep -q "^k3-doctor: this machine cannot run it: room: " "$tmp/err"'
echo "$missing" >"$tmp/free"
doctor built --disk 2 "$m"
ok "just room for the rest" '[ $status = 0 ] && row room "0.00[0-9]* GB are missing"'

# All of it.
cp "$tall"/model-000[4-9]* "$m"
check
doctor built --disk 2 "$m"
ok "all of it: k3-decode is next" '
	[ $status = 0 ] && row shards "96 of 96, 96 checked$" &&
	row next "k3-tok -m $m <prompt.txt . k3-decode -m $m . k3-tok -m $m -d$"'
ok "and that works" '
	echo hello >"$tmp/prompt.txt" && cd "$tmp" && PATH=$K3_BIN:$PATH &&
	eval "$(sed -n "s/^next *//p" "$tmp/out")"'
touch "$m/model-00007-of-000096.safetensors"
doctor built --disk 2 "$m"
ok "a file that changed is to be checked" 'row shards "96 of 96, 95 checked; " && row next "k3-download "'
check
"$K3_BIN/k3-pack" -q -m "$m"
doctor built --disk 2 "$m"
ok "packed" 'row trunk "94 of 94 packed$" && row next k3-tok'
rm "$m"/trunk/05*
doctor built --disk 2 "$m"
ok "packed in part: k3-pack is next" 'row trunk "84 of 94 packed$" && row next "k3-pack -m $m$"'
echo '{' >"$m/config.json"
doctor built --disk 2 "$m"
ok "a config that is none" '[ $status = 0 ] && row memory "not known: " && row forecast "none: " &&
	row trunk "84 of 94 packed$"'

# Machines that cannot.
echo 2000000000000 >"$tmp/free"
rm "$tmp/built/build/bin/k3-decode"
printf '#!/bin/sh\nexec "%s" -r 1G "$@"\n' "$K3_BIN/k3-decode" >"$tmp/built/build/bin/k3-decode"
chmod +x "$tmp/built/build/bin/k3-decode"
doctor built --disk 2 "$tmp/none"
ok "too little memory: status 69" '
	[ $status = 69 ] && row memory "cannot: run in 1073741824 bytes: the least that works is [0-9]+$"'
doctor built -q --disk 1 "$K3_TOYS/tiny"
ok "a model of its own, in one file" '[ $status = 0 ] && row config here &&
	row shards "1 of 1; " && row next "k3-tok -m .*/tiny <"'
echo riscv64 >"$tmp/arch"
doctor bare "$tmp/none"
ok "another CPU: status 69" '[ $status = 69 ] && row cpu "cannot: riscv64 is neither"'

doctor bare -h
ok "-h" '[ $status = 0 ] && grep -q "^usage: k3-doctor " "$tmp/out"'
doctor bare -V
ok "-V is the tools version" '[ "$(cat "$tmp/out")" = "k3-doctor $("$K3_BIN/k3-tok" -V | cut -d " " -f 2)" ]'
for args in '--nonsense' 'a b' '--disk x' '--disk 0' '--disk -1'; do
	# shellcheck disable=SC2086 # words
	doctor bare $args
	ok "usage: $args" '[ $status = 64 ] && [ -s "$tmp/err" ] && [ ! -s "$tmp/out" ]'
done
echo "1..$n"
exit $bad
