#!/bin/bash
# presets.sh - what each preset takes, and what a token costs with it
#
#	presets.sh [OPTION ...]
#
# Nothing is loaded.  GB are 10^9 bytes; seconds a token count reading alone,
# at 3 and at 14 GB/s, the cache finding as much as it would for Kimi-Linear.
# Options are those of k3-decode, of which "-q -m examples/kimi-k3" names K3; the
# k3 tools must be in PATH.

set -eu -o pipefail

printf '%-12s %9s %8s %13s %8s %8s\n' preset 'memory GB' 'pinned %' \
	'GB a token' 3 14
for preset in laptop desktop workstation server max; do
	k3-decode "$@" --preset "$preset" --plan | awk -v preset="$preset" '
	/^total/ { total = $2 / 1e9 }
	/matrices pinned/ { pinned = $1 }
	/^a token reads/ { read = $4 }
	/^at/ { s[$2] = $4 }
	END {
		printf "%-12s %9.1f %8d %13.1f %8.1f %8.1f\n", preset, total,
			pinned, read, s[3], s[14]
	}'
done
