# A dump's pairs are demands as they stand: two tokens of one pass, twice.
token() {
	for e in $(seq "$1" $(($1 + 15))); do
		printf '\001\000\000\000'
		# shellcheck disable=SC2059 # an octal number
		printf "\\$(printf %o "$e")\000\000\000"
	done
}
{ token 0; token 8; token 0; } >dump
k3-trace cache --slots 16,24 dump
