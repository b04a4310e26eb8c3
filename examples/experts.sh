#!/bin/bash
# experts.sh - the experts that a layer used most while it generated
#
#	experts.sh LAYER [OPTION ...] <text
#
# Prints how often, and the number of the expert.  Options are those of
# k3-decode; the k3 tools must be in PATH.

set -eu -o pipefail
layer=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

k3-tok | k3-decode --route "$tmp/routes" "$@" >/dev/null
awk -v layer="$layer" '$2 == "d" && $5 == layer {
	n = split($6, expert, ",")
	for (i = 1; i <= n; i++)
		used[expert[i]]++
}
END {
	for (e in used)
		print used[e], e
}' "$tmp/routes" | sort -k 1,1nr -k 2,2n
