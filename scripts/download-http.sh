#!/bin/bash
# download-http.sh - a request of k3-download, and what became of it
#
# Sourced by k3-download and download-file.sh; uses url, repo, revision, retries,
# wait, timeout, quiet, clear, tmp of theirs, and HF_TOKEN.
# shellcheck disable=SC2034,SC2154 # those of who sources it

say() {
	local text=$*
	printf '%sk3-download: %s\n' "$clear" "${text//[^ -~]/?}" >&2
}

warn() {
	[ -n "$quiet" ] || say "$@"
}

# fail STATUS MESSAGE
fail() {
	local status=$1
	shift
	say "$@"
	exit "$status"
}

# A part of a URL, so that neither a server nor curl sees more in it.
encode() {
	local s=${1//%/%25}
	s=${s// /%20} s=${s//\"/%22} s=${s//#/%23} s=${s//\?/%3F}
	s=${s//\\/%5C} s=${s//[/%5B} s=${s//]/%5D}
	printf %s "${s//+/%2B}"
}

size_of() {
	stat -L -c %s -- "$1" 2>/dev/null || echo 0
}

# What curl is told on its standard input, where nobody sees the token.  It is
# for this server: curl sends it to no other host when redirected.
orders() {
	printf 'url = "%s"\n' "$1"
	[ -z "${HF_TOKEN:-}" ] ||
		printf 'header = "Authorization: Bearer %s"\n' "$HF_TOKEN"
}

# request URL FILE HAVE MOST: once, from byte HAVE on, to the end of FILE, which
# becomes longer than MOST bytes by a block at most, or a MiB long: the limit is that
# of the file of HTTP's header lines too.  Sets code, HTTP's, and ended,
# curl's.  Curl refuses an answer that does not begin at HAVE before it writes.
request() {
	local over=http,https from=() blocks=$(($4 / 1024 + 1))
	[[ $url != https:* ]] || over=https
	[ "$3" = 0 ] || from=(-C "$3")
	[ "$blocks" -gt 1024 ] || blocks=1024
	orders "$1" | (
		trap '' XFSZ
		ulimit -f "$blocks"
		exec setpriv --pdeathsig KILL curl -q -K - -sS --fail -g -L --max-redirs 10 \
			--proto "=$over" --connect-timeout "$timeout" --speed-limit 1000 \
			--speed-time "$timeout" "${from[@]}" -o "$2" -D "$tmp/$$.head" \
			-w '%{http_code}' 2>"$tmp/$$.err"
	) >"$tmp/$$.code"
	ended=$?
	code=000
	read -r code <"$tmp/$$.code"
	# So do most versions.
	[ "$3" = 0 ] || [ "$code" = 206 ] || truncate -s "$3" -- "$2"
}

# Sets why, for people, and status: that of the end, or 0 if it may be tried again.
explain() {
	status=0
	case $ended:$code in
	*:401) status=66 why='the server wants a token: set HF_TOKEN' ;;
	*:403) status=66 why="HF_TOKEN must be a token that may read $repo" ;;
	*:404) status=66 why="it is not there: is $revision a revision of $repo?" ;;
	*:408 | *:429 | *:5??) why="the server is busy (HTTP $code)" ;;
	33:* | *:416) why='the server does not go on where the file ends' ;;
	22:*) status=66 why="the server refuses it (HTTP $code)" ;;
	23:*) status=74 why='it cannot be written; is there room?' ;;
	*) why=$(sed -n '$s/^curl: ([0-9]*) //p' "$tmp/$$.err") why=${why:-curl ended with $ended} ;;
	esac
	[ "$code:${HF_TOKEN:+set}" != 401:set ] ||
		why='the server does not accept the token in HF_TOKEN'
}

# again WHAT: wait before the next try; false if there is none.  Uses the caller's
# tries and pause.
again() {
	[ "$status" = 0 ] || return 1
	status=74
	[ $((tries += 1)) -le "$retries" ] || return 1
	warn "'$1': $why; again in $pause s"
	sleep "$pause" 8>&- 9<&-
	pause=$((pause < 150 ? 2 * pause : 300))
}

# transfer WHAT URL FILE SIZE: until FILE has SIZE bytes.  As long as it grows there
# is no limit to how often.  At failure sets status and why.
transfer() {
	local best have tries=0 refused=0 pause=$wait wrong=
	: >>"$3" || { status=73 why='it cannot be created'; return 1; }
	have=$(size_of "$3")
	best=$have
	while [ "$have" != "$4" ]; do
		[ "$have" -lt "$4" ] || { : >"$3"; have=0; }
		request "$2" "$3" "$have" "$4"
		have=$(size_of "$3")
		[ "$have" != "$4" ] || break
		explain
		if [ "$have" -gt "$4" ]; then
			: >"$3"
			have=0 status=0 why="it is longer than the $4 bytes of the list" wrong=$why
		elif [ "$ended" = 33 ] || [ "$code" = 416 ]; then
			# Twice may be chance; then only another beginning helps.
			[ $((refused += 1)) -lt 2 ] || { : >"$3"; have=0 refused=0; }
		elif [ "$ended" = 0 ]; then
			why="it ends after $have of $4 bytes"
			[ "$code" = 206 ] || wrong=$why
		fi
		if [ "$have" -gt "$best" ]; then
			best=$have tries=0 refused=0 pause=$wait
		fi
		again "$1" && continue
		[ -z "$wrong" ] || status=65 why=$wrong
		return 1
	done
}
