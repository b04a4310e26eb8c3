#!/bin/bash
# download-file.sh - one worker of k3-download: takes files of the list, one after
# the other, and sees that they are whole and right
#
# Several run at a time; who makes the folder $tmp/N has the file of line N.  What
# it is to do stands in the environment.  Holds descriptor 8 while it lives.
# shellcheck disable=SC2154 # from k3-download

set -uo pipefail
# The parent may have gone before it could take this process along.
[ $PPID = "$1" ] || exit 71
# shellcheck source=scripts/download-http.sh
. "${0%/*}/download-http.sh"
base=$url/$repo/resolve/${revision//\//%2F}
result=0

# Is this file what the list says?  Sets why if not.
right() {
	local sum=
	sum=$(size_of "$1")
	why="it has $sum bytes, not $size"
	[ "$sum" = "$size" ] || return 1
	# Their process dies with this one, as a command's in $() would not.
	case ${#digest} in
	64) setpriv --pdeathsig KILL sha256sum <"$1" >"$tmp/$$.sum" ;;
	40) { printf 'blob %s\0' "$size" && cat -- "$1"; } |
		setpriv --pdeathsig KILL sha1sum >"$tmp/$$.sum" ;;
	*) return 0 ;;
	esac || stop 74 "cannot read '$1': it may be damaged, or the disk"
	read -r sum _ <"$tmp/$$.sum"
	why="its digest is ${sum:0:12}..., not ${digest:0:12}..."
	[ "$sum" = "$digest" ]
}

# It need not be read again as long as size and time are these.
note() {
	printf '%s\t%s\t%s\n' "$digest" "$(find -L "$file" -printf '%s\t%T@')" "$path" \
		>>"$dir/k3-checked" || stop 74 "cannot write '$dir/k3-checked': is there room?"
	[ -z "$verbose" ] || say "'$path': right"
}

# stop STATUS MESSAGE: nobody begins another file.  What fails for one fails for
# others, so one says it.
stop() {
	mkdir "$tmp/stop" 2>/dev/null && say "$2"
	exit "$1"
}

# A folder of the list that is a link would lead out of this one.
inside() {
	local at=$path
	while [[ $at == */* ]]; do
		at=${at%/*}
		[ ! -L "$dir/$at" ] ||
			stop 73 "cannot use '$dir/$at': it is a link, and only files may be links"
	done
}

# What stands under the final name is right, or goes.
inspect() {
	[ -e "$file" ] || return 1
	right "$file" && note && return
	if [ -f "$file" ] && [ "$(size_of "$file")" -lt "$size" ] && [ ! -e "$part" ]; then
		say "'$path': $why; it is a part now"
		mv -fT -- "$file" "$part"
	else
		say "'$path': $why; it is $path.wrong now"
		mv -fT -- "$file" "$file.wrong"
	fi || stop 73 "cannot rename '$file': it stays where it is"
	[ -z "$check" ] || result=65
	return 1
}

fetch() {
	local times
	[ -d "${file%/*}" ] || mkdir -p -- "${file%/*}" || stop 73 "cannot create '${file%/*}': no folder can be made there"
	for times in once twice '3 times'; do
		transfer "$path" "$base/$(encode "$path")" "$part" "$size" || break
		sync -- "$part" || stop 74 "cannot write '$part': is there room?"
		if right "$part"; then
			mv -fT -- "$part" "$file" || stop 73 "cannot create '$file': a folder is there"
			[ ! -e "$file.wrong" ] || rm -f -- "$file.wrong"
			note
			return
		fi
		warn "'$path': $why; from the beginning"
		rm -f -- "$part"
		status=65 why="$why, $times"
	done
	[ "$status" = 65 ] || stop "$status" "cannot download '$path': $why"
	rm -f -- "$part"
	say "cannot download '$path': $why"
	result=65
}

n=0
while IFS=$'\t' read -r digest size path; do
	n=$((n + 1))
	[ ! -e "$tmp/stop" ] || break
	mkdir "$tmp/$n" 2>/dev/null || continue
	file=$dir/$path part=$file.part
	inside
	inspect || [ -n "$check" ] || fetch
done <"$tmp/todo"
exit $result
