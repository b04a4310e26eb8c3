#!/bin/bash
# download-list.sh - k3-download's list of files: k3-files, see k3-download(1)
#
# Sourced after download-http.sh; uses dir, tmp too.
# shellcheck disable=SC2034,SC2154 # those of who sources it

# page QUERY: the rows of one page to $tmp/rows, what comes after ? for the next one
# to $tmp/next.  That alone is taken of its URL, so that no other server is asked.
page() {
	local tries=0 pause=$wait status why
	local what=$url/api/models/$repo/tree/${revision//\//%2F}
	while request "$what?$1" "$tmp/page" 0 64000000 && [ "$ended" != 0 ]; do
		explain
		again "$what" || fail "$status" "cannot get '$what': $why"
	done
	jq -r 'if type == "array" then .[] else error("no array") end
		| select(.type != "directory")
		| [(.lfs.oid // .oid // "-"), (.lfs.size // .size), .path] | @tsv' \
		<"$tmp/page" >>"$tmp/rows" 2>/dev/null ||
		fail 65 "'$what': it is not a list of files"
	awk '/^HTTP\// { line = "" }
		tolower($1) == "link:" { line = line $0 } END { print line }' "$tmp/$$.head" |
		sed -nE 's/.*<[^>?]*\?([]A-Za-z0-9%&=._~+/:,@-]*)>; *rel="?next.*/\1/p' >"$tmp/next"
}

# Names are the server's, and become names of files here.
names_are_safe() {
	awk -F '\t' -v from="$1" -v skipped="${2:-0}" '
	function bad(what) {
		gsub(/[^ -~]/, "?", $3)
		printf "%s line %d: %s: %.200s\n", from, NR + skipped, what, $3
		exit failed = 1
	}
	NF != 3 { $3 = $0; bad("not a digest, a size and a name") }
	$1 !~ /^([0-9a-f]+|-)$/ || length($1) !~ /^(1|40|64)$/ { bad("a digest of no kind") }
	$2 !~ /^(0|[1-9][0-9]*)$/ || length($2) > 15 { bad("a size of no kind") }
	$3 !~ /^[ -~]+$/ || $3 ~ /\\/ || length($3) > 1000 { bad("a name that is refused") }
	("/" $3 "/") ~ /\/(|\.|\.\.)\// { bad("a name that is refused") }
	$3 ~ /\.(part|wrong)$/ || $3 ~ /^k3-(files|checked)/ { bad("a name that is taken") }
	$3 in seen { bad("a name that was there before") }
	{ seen[$3] }
	END { if (NR == 0) { print from ": no files"; failed = 1 } exit failed }'
}

fetch_list() {
	local query=recursive=true pages=0 last=
	: >"$tmp/rows"
	while [ -n "$query" ]; do
		if [ "$query" = "$last" ] || [ $((pages += 1)) -gt 1000 ]; then
			fail 65 "'$url': the list of files has no end"
		fi
		last=$query
		page "$query"
		query=$(cat "$tmp/next")
	done
	why=$(names_are_safe "'$url'" <"$tmp/rows") || fail 65 "$why"
	echo "#k3-files 1 repository=$repo revision=$revision" >"$tmp/list"
	sort -t $'\t' -k 3 "$tmp/rows" >>"$tmp/list"
}

# The list of this revision to $tmp/list: the one in the folder, or the server's.
# What names a branch is asked for each time.
get_list() {
	local head=
	if [ -n "$dir" ] && [ -e "$dir/k3-files" ]; then
		read -r head <"$dir/k3-files"
	fi
	if [[ $revision =~ ^[0-9a-f]{40}$ ]] &&
	    [ "$head" = "#k3-files 1 repository=$repo revision=$revision" ]; then
		cp "$dir/k3-files" "$tmp/list" || exit 74
		why=$(sed 1d "$tmp/list" | names_are_safe "'$dir/k3-files'" 1) || fail 65 "$why"
	else
		fetch_list
	fi
}

keep_list() {
	cmp -s "$tmp/list" "$dir/k3-files" ||
		{ cp "$tmp/list" "$dir/k3-files.part" && sync "$dir/k3-files.part" &&
			mv -f "$dir/k3-files.part" "$dir/k3-files"; } 2>/dev/null ||
		fail 74 "cannot write '$dir/k3-files': is there room?"
}
