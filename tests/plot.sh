#!/bin/bash
# plot.sh - pictures are whole, the same each time, and run nobody's commands
#
# Prints TAP; needs K3_BIN, and gnuplot but for two of the cases.

set -u
PATH=${K3_BIN:?}:$PATH
here=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
n=0 bad=0

# check NAME COMMAND...: ok if the command succeeds.
check() {
	local name=$1
	n=$((n + 1))
	shift
	if "$@" >out 2>&1; then
		echo "ok $n - $name"
	else
		bad=1
		echo "not ok $n - $name"
		sed 's/^/# /' out
	fi
}

# Well-formed, with these texts as texts.
svg() {
	python3 - "$@" <<-'P'
		import sys
		import xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		assert root.tag.endswith("}svg"), root.tag
		texts = ["".join(t.itertext()).strip() for t in root.iter()
		         if t.tag.endswith("}text")]
		for want in sys.argv[2:]:
		    assert want in texts, (want, texts)
	P
}

picture() {
	local kind=$1
	shift
	k3-trace plot "$kind" --title "The $kind" -o "$kind.svg" "$@" &&
		k3-trace plot --title "The $kind" "$kind" "$@" | cmp - "$kind.svg"
}

# All that there is in PATH, but no gnuplot.
no_gnuplot() {
	local status
	PATH=$K3_BIN k3-trace plot cache -o none.svg cache.tsv 2>err
	status=$?
	cat err
	[ "$status" = 69 ] && grep -q 'no gnuplot here: install it' err &&
		[ ! -e none.svg ]
}

terminal() {
	! python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' \
		k3-trace plot cache cache.tsv >err </dev/null &&
		grep -q 'refusing to write SVG to a terminal' err
}

printf 'policy\tslots\tbytes\thit_rate\nlru\t10\t10000\t0\nlru\t100\t100000\t0.5\n' >cache.tsv
printf 'ram\tseconds_a_token\tbest\n8589934592\t30\t1\n17179869184\t5\t1\n' >split.tsv
python3 "$here/tests/report.py" prompt_passes=2 generated=300 >passes.json
python3 "$here/tests/report.py" generated=0 prompt_compute=0 prompt_trunk=0 \
	prompt_experts=0 other=0 >zero.json
cp "$here/tests/vectors/routes/demo.route" experts.route
{
	echo '#k3-route 1 layers=93 experts=896 topk=1'
	printf '0\td\t0\t0\t92\t895\t-\n'
} >large.route

check 'without gnuplot there is a message, and no picture' no_gnuplot
check 'a terminal gets no picture' terminal
if ! command -v gnuplot >/dev/null; then
	echo "ok $((n + 1)) - pictures # SKIP no gnuplot here"
	echo "1..$((n + 1))"
	exit $bad
fi
for kind in cache.tsv split.tsv passes.json experts.route; do
	check "${kind%.*} gives the same picture twice" picture "${kind%.*}" "$kind"
	check "${kind%.*} is well-formed" svg "${kind%.*}.svg" "The ${kind%.*}"
done
check 'labels have units' svg cache.svg 'Size of the cache (kB)' 'Demands that hit (%)'
check 'many cells' k3-trace plot experts -o large.svg large.route
check 'many cells are well-formed' svg large.svg 'Use of experts'
check 'no time at all' k3-trace plot passes -o zero.svg zero.json
check 'no time at all is well-formed' svg zero.svg

# Whatever gnuplot, the shell or XML could take for theirs, as one text.
# shellcheck disable=SC2016 # nothing is to be expanded
evil='`touch pwned`"`touch pwned`'"'; system('touch pwned'); \$(touch pwned) @x {/b} ^2 %s <a> & ]]> \\"
for policy in "${evil:0:40}" "${evil:30:40}" "${evil: -40}"; do
	printf '%s\t10\t0.5\n' "$policy"
done | sed '1i policy\tslots\thit_rate' >evil.tsv
check 'evil texts are plotted' k3-trace plot --title "$evil" -o evil.svg cache evil.tsv
check 'evil texts stay texts' svg evil.svg "${evil/]]>/]]?}" "${evil:0:40}" \
	"${evil:30:40}"
check 'evil texts are never run' [ ! -e pwned ]
printf -v name '%b' "\\047; system(\\047touch pwned\\047); \\140touch pwned\\140\\nsystem(\\047touch pwned\\047)\\0377\\01"
cp split.tsv "$name"
check 'an evil name is plotted' k3-trace plot -o evil.svg split split.tsv "$name"
check 'an evil name is well-formed' svg evil.svg split
check 'an evil name is never run' [ ! -e pwned ]
echo "1..$n"
exit $bad
