#!/bin/bash
# batch.sh - each line of a file, and how the model goes on with it
#
#	batch.sh FILE [OPTION ...]
#
# Line n of what comes out belongs to line n of FILE.  A newline in a
# continuation becomes a blank: sequences are parted by NUL on their way.
# Options are those of k3-decode; the k3 tools must be in PATH.

set -eu -o pipefail
file=$1
shift

k3-tok -L "$file" | k3-decode "$@" | k3-tok -d0 | tr '\n\0' ' \n' |
	paste -d '|' "$file" -
