#!/bin/bash
# examples.sh - the examples do what they say
#
# Prints TAP; needs K3_BIN and K3_TOYS.

set -u -o pipefail
PATH=${K3_BIN:?}:$PATH
toy=${K3_TOYS:?}/thirteen
export K3_MODEL=$PWD/examples/demo
[ -e "$K3_MODEL/model.safetensors" ] || K3_MODEL=$toy
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
printf 'In the beginning was the Word' >"$tmp/text"
printf 'In the beginning\n\nAnd he said\n' >"$tmp/lines"

# ok NAME COMMAND: a bash command, whose output is told if it fails.
ok() {
	n=$((n + 1))
	if eval "$2" >"$tmp/out" 2>&1; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$tmp/out"
		bad=1
	fi
}

# With the toy, whose layers are of all kinds.
ok "embed gives the IDs of k3-decode" '
	want=$(echo 3 4 5 6 7 | k3-decode -m "$toy" -n 20 --stop none)
	got=$("$K3_BIN/../examples/embed" "$toy" 20 3 4 5 6 7)
	echo "want $want"; echo "got  $got"; [ "$got" = "$want" ]'

ok "complete.sh prints the text and what follows" '
	examples/complete.sh -n 8 <"$tmp/text" >"$tmp/got" &&
	{ cat "$tmp/text" && k3-tok "$tmp/text" | k3-decode -n 8 | k3-tok -d &&
	echo; } | cmp - "$tmp/got"'

ok "batch.sh keeps lines together" '
	examples/batch.sh "$tmp/lines" -n 8 >"$tmp/got" &&
	cut -d "|" -f 1 "$tmp/got" | cmp - "$tmp/lines" &&
	sed -n 2p "$tmp/got" | grep -x "|"'

ok "likely.sh begins with the ID that is chosen" '
	examples/likely.sh 7 <"$tmp/text" >"$tmp/got" &&
	[ "$(wc -l <"$tmp/got")" = 7 ] && sort -cgr "$tmp/got" &&
	[ "$(sed -n 1p "$tmp/got" | cut -f 2)" = \
	"$(k3-tok "$tmp/text" | k3-decode -n 1)" ]'

# Of 9 tokens, the last is not fed any more.
ok "experts.sh counts every pick" '
	topk=$(sed -n "s/.*num_experts_per_token\": *\([0-9]*\).*/\1/p" \
	"$K3_MODEL/config.json" | head -n 1)
	examples/experts.sh 3 -n 9 --stop none <"$tmp/text" >"$tmp/got" &&
	awk -v topk="$topk" "{ sum += \$1 } END { exit sum != 8 * topk }" \
	"$tmp/got"'

ok "presets.sh has a line for each preset" '
	examples/presets.sh >"$tmp/got" && [ "$(wc -l <"$tmp/got")" = 6 ] &&
	k3-decode -q --plan | grep -q "^a token reads [0-9.e+-]* GB: " &&
	awk "NR > 1 && (NF != 6 || \$2 !~ /^[0-9.]+\$/) { exit 1 }" "$tmp/got"'

ok "presets.sh has the table of README.md" '
	examples/presets.sh -q -m examples/kimi-k3 >"$tmp/got" &&
	grep -E "^\| (laptop|desktop|workstation|server|max) " README.md |
	tr -d "|%" | awk "{ \$1 = \$1; print }" >"$tmp/want" &&
	awk "NR > 1 { \$1 = \$1; print }" "$tmp/got" | diff "$tmp/want" -'

# Four budgets; more memory and faster disks take no more time.
ok "forecast.sh has a table that falls to the right and down" '
	examples/forecast.sh >"$tmp/got" && cat "$tmp/got" &&
	sed 1,2d "$tmp/got" | awk -F "|" "
	{ for (i = 3; i <= 8; i++) {
		if (NF != 9 || \$i <= 0 || (NR > 1 && \$i > last[i]) ||
		    (i != 3 && i != 6 && \$i > \$(i - 1))) bad = 1
		last[i] = \$i } }
	END { exit bad || NR != 4 }"'

echo "1..$n"
exit $bad
