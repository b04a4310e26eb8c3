#!/bin/bash
# manual.sh - the examples of the manuals, run
#
# An example is a display line that begins with "$ ", and the lines after it
# that begin with "> ".  Those of a page run one after the other in one shell,
# in a folder with a prompt, and with a model that may be written to.  Prints
# TAP; needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
from=$PWD/examples/demo
[ -e "$from/model.safetensors" ] || from=${K3_TOYS:?}/thirteen

# Another machine, as far as the manuals need one.
mkdir "$tmp/bin"
printf '#!/bin/sh\ncd "$HOME" && shift && exec sh -c "$*"\n' >"$tmp/bin/ssh"
chmod +x "$tmp/bin/ssh"

# The commands of a page, each ended by a NUL byte.
commands() {
	awk '
	function end() {
		if (text != "")
			printf "%s%c", text, 0
		text = ""
	}
	/^\.Dl \$ / { sub(/^\.Dl /, "") }
	/^\$ / { end(); text = substr($0, 3); next }
	/^> / && text != "" { text = text "\n" substr($0, 3); next }
	{ end() }
	END { end() }' "$1" | sed -z 's/\\&//g; s/\\e/\\/g'
}

set_up() {
	mkdir -p "$1/model" && cd "$1" || exit 1
	ln -s "$from"/* model/
	export K3_MODEL=$1/model HOME=$1 PATH=$tmp/bin:$PATH
	printf 'In the beginning was the Word, and the Word was with' >prompt.txt
	printf 'In the beginning\nAnd he said\nThe end\n' >prompts.txt
	k3-tok -L prompts.txt >prompts.ids
}

# One line for each command: ok, or not ok and what it printed.
run_page() {
	local command page=${1##*/}
	mapfile -d '' list < <(commands "$1")
	set_up "$tmp/$page"
	set -o pipefail
	for command in "${list[@]}"; do
		if eval "$command" >"$tmp/out" 2>&1 </dev/null; then
			echo "ok - $page: ${command//$'\n'/ }"
		else
			echo "not ok - $page: ${command//$'\n'/ }"
			tail -n 20 "$tmp/out" | sed 's/^/# /'
		fi
	done
}

for page in "$PWD"/man/*; do
	(run_page "$page")
done >"$tmp/tap"
cat "$tmp/tap"
echo "1..$(grep -cE '^(not )?ok' "$tmp/tap")"
! grep -q '^not ok' "$tmp/tap"
