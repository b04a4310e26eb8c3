#!/bin/bash
# complete.sh - a text, and how the model goes on with it
#
#	complete.sh [OPTION ...] <text
#
# Options are those of k3-decode; the k3 tools must be in PATH.

set -eu -o pipefail

k3-tok | k3-decode -e "$@" | k3-tok -d
echo
