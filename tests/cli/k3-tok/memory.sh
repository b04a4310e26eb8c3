ln -s "${0%/*}/../../golden/good/tok-mini" m
# shellcheck disable=SC3045 # dash and bash have -v
# 20 MB with no end of the sequence, in 32 MB of address space; a sanitizer
# needs more than that only to start.
(
	if sh -c 'ulimit -v 32768; k3-tok -V; exit $?' >/dev/null 2>&1; then
		ulimit -v 32768
	fi
	yes the | head -c 20M | k3-tok -c -m m
)
