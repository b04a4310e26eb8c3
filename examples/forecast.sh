#!/bin/bash
# forecast.sh - seconds that Kimi K3 takes, by memory and disk, as a table
#
#	forecast.sh [OPTION ...]
#
# A forecast, for cores that pass 50 GB of weights a second through for one
# token, and make 500 GFLOP/s of many: k3-trace-split(1) has its formula and
# what it assumes.  GB are 10^9 bytes.  Options are those of k3-trace split;
# the k3 tools must be in PATH.

set -eu -o pipefail
here=$(dirname "$0")

echo '| memory GB | s a token at 3 GB/s | at 7 | at 14 | s a prompt of 1,024 at 3 | at 7 | at 14 |'
echo '| --------: | ------------------: | ---: | ----: | -----------------------: | ---: | ----: |'
for disk in 3 7 14; do
	k3-trace split -q -m "$here/kimi-k3" --prompt 1024 --memory 50 \
		--compute 500 -r 8000000000,32000000000,64000000000,128000000000 \
		"$@" --disk "$disk"
done | awk '$NF == 1 {
	if (!($1 in token))
		ram[++n] = $1
	token[$1] = token[$1] sprintf(" | %.1f", $10)
	prompt[$1] = prompt[$1] sprintf(" | %.0f", $11)
}
END {
	for (i = 1; i <= n; i++)
		printf "| %d%s%s |\n", ram[i] / 1e9, token[ram[i]], prompt[ram[i]]
}'
