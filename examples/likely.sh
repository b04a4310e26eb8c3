#!/bin/bash
# likely.sh - the likeliest next tokens of a text: logit, ID, token
#
#	likely.sh [COUNT] <text
#
# The k3 tools must be in PATH.

set -eu -o pipefail
count=${1:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# One row of float32, the n-th of which belongs to ID n - 1.
k3-tok | k3-decode -n 1 --logits "$tmp/logits" >/dev/null
od -An -v -tf4 -w4 "$tmp/logits" | awk '{ print $1 "\t" NR - 1 }' |
	sort -gr | sed -n "1,${count}p" >"$tmp/likely"
cut -f 2 "$tmp/likely" | tr '\n' ' ' | k3-tok -q -d --pieces | cut -f 2 |
	paste "$tmp/likely" -
