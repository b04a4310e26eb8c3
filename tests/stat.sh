#!/bin/bash
# stat.sh - k3-trace stat against stat.awk, which follows the manual slowly
#
# Prints TAP; needs K3_BIN.

set -u
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
demo=tests/vectors/routes/demo.route
real=../shared/data/real/kimi-linear-decode.route
n=0

# same WHAT OPTIONS VARIABLES FILE ...: both print the same, and something.
same() {
	local what=$1 options variables
	read -ra options <<<"$2"
	read -ra variables <<<"$3"
	shift 3
	k3-trace stat "${options[@]}" "$@" >"$tmp/got" 2>&1
	awk "${variables[@]/#/-v}" -f tests/stat.awk "$@" >"$tmp/want"
	if [ -s "$tmp/want" ] && diff -u "$tmp/want" "$tmp/got" >"$tmp/diff"; then
		echo "ok $((++n)) - $what"
	else
		echo "not ok $((++n)) - $what"
		sed 's/^/# /' "$tmp/diff"
	fi
}

# Streams with chunks of several prompts and steps of several sequences, of
# which a line in eight is missing: draw SEED LINES GUESS.
draw() {
	awk -v seed="$1" -v most="$2" -v topk="$3" '
	function draw(n) {
		seed = (seed * 16807) % 2147483647
		return int(seed / 8) % n
	}
	# Experts that rise, low ones more often.
	function experts(   e, i, s, had) {
		while (i < topk) {
			e = draw(2) ? draw(20) : draw(5)
			i += !(e in had)
			had[e]
		}
		for (e = 0; e < 20; e++)
			if (e in had)
				s = s "," e
		return substr(s, 2)
	}
	BEGIN {
		OFS = "\t"
		print "#k3-route 1 layers=6 experts=20 topk=" topk
		for (pass = 0; pass < most; pass++) {
			prompt = draw(4) == 0
			for (layer = 1; layer < 6; layer++)
				for (s = 0; s < 3; s++)
					for (i = 0; i < (prompt ? 4 : 1); i++)
						if (draw(8) > 0)
							print pass, prompt ? "p" : "d", s,
							    at + i, layer, experts(), "-"
			at += prompt ? 4 : 1
		}
	}'
}

draw 1 80 4 >"$tmp/one"
draw 2 60 4 >"$tmp/two"
draw 3 70 7 >"$tmp/guess"
head -n 1 "$tmp/one" >"$tmp/none"
# A guess for the lines that there are, and for some that there are not.
awk -F '\t' -v OFS='\t' 'FNR == NR { experts[FNR] = $6; next }
	FNR > 1 { $6 = experts[FNR % 900 + 2] } { sub(/topk=4/, "topk=7") }
	FNR % 5 > 0' "$tmp/guess" "$tmp/one" >"$tmp/guessed"
printf '900\td\t0\t0\t1\t0,1,2,3,4,5,6\t-\n' >>"$tmp/guessed"

same 'the demo' '' '' "$demo"
same 'the demo, by layer' --layers layers=1 "$demo"
same 'several sequences' '' '' "$tmp/one"
same 'several sequences, by layer' --layers layers=1 "$tmp/two"
same 'no lines' '' '' "$tmp/none"
same 'no lines, by layer' --layers layers=1 "$tmp/none"
same 'two files' '' '' "$tmp/one" "$tmp/two"
same 'two files, by layer' --layers layers=1 "$tmp/two" "$tmp/one"
same 'guesses' "--guess $tmp/guessed" "guess=$tmp/guessed" "$tmp/one"
same 'guesses, by layer' "--guess $tmp/guessed --layers" \
    "guess=$tmp/guessed layers=1" "$tmp/one"
if [ -e $real ]; then
	head -n 700 $real >"$tmp/real"
	same 'a real stream' '' '' "$tmp/real"
else
	echo "ok $((++n)) - a real stream # SKIP no $real"
fi
echo "1..$n"
