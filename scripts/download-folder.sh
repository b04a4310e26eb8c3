#!/bin/bash
# download-folder.sh - the folder of k3-download: whose it is, what is there
#
# Sourced; uses dir, tmp, check.  What was checked is in k3-checked: digest, size and
# time of each file that was right; see k3-download(1).
# shellcheck disable=SC2034,SC2154 # those of who sources it

need() {
	local program
	for program in awk curl df find flock jq setpriv sha1sum sha256sum; do
		command -v $program >/dev/null ||
			fail 69 "cannot find '$program': scripts/deps check installs it"
	done
}

# The folder, as long as its descriptor 9 is open in any process.
take_folder() {
	[ -n "$check" ] || mkdir -p -- "$dir" 2>/dev/null ||
		fail 73 "cannot create '$dir': no folder can be made there"
	dir=$(cd -- "$dir" 2>/dev/null && pwd) || fail 66 "cannot open '$dir': not a folder"
	exec 9<"$dir" || exit 66
	flock -w 1 -E 75 9 ||
		fail 69 "cannot lock '$dir': another k3-download works there"
	[ -w "$dir" ] || fail 73 "cannot write to '$dir': permission denied"
}

# look TODO: what is there, against $tmp/list.  Writes to TODO the rows of files that
# are not known to be right.  Sets files, total, ready and there (of the known ones; bytes too of
# parts), missing and absent (what must be downloaded, and is not there at all).
look() {
	local checked=$dir/k3-checked
	[ -e "$checked" ] || checked=/dev/null
	read -r files total ready there missing absent < <(
		find -L "$dir" -type f -printf '%s\t%T@\t%P\n' 2>/dev/null |
			awk -F '\t' -v todo="$1" '
		what == "checked" { known[$4] = $1 FS $2 FS $3; next }
		what == "found" { size[$3] = $1; at[$3] = $1 FS $2; next }
		/^#/ { next }
		{ files++; total += $2 }
		$3 in at && known[$3] == $1 FS at[$3] && size[$3] == $2 {
			ready++; there += $2; next
		}
		{ row[$3 ~ /\.safetensors$/] = row[$3 ~ /\.safetensors$/] $0 "\n" }
		$3 in size { missing += size[$3] < $2 ? $2 - size[$3] : 0; next }
		{
			part = $3 ".part" in size ? size[$3 ".part"] : 0
			there += part < $2 ? part : $2
			missing += part < $2 ? $2 - part : 0
			absent++
		}
		END {
			# The small ones first: with them there is a plan already.
			printf "%s%s", row[0], row[1] >todo
			printf "%d %.0f %d %.0f %.0f %d\n", files, total, ready, there,
				missing, absent
		}' what=checked "$checked" what=found - what=list "$tmp/list"
	)
}

enough_room() {
	local free
	free=$(df -B1 --output=avail "$dir" | tail -n 1)
	[ "$missing" -le "${free:-0}" ] ||
		fail 69 "cannot download to '$dir': $missing bytes are missing and ${free// /} are free"
}

# One line, from what is there now.
progress() {
	look /dev/null
	awk -v files="$files" -v ready="$ready" -v there="$there" -v began="$began" \
	    -v total="$total" -v now="$1" -v s=$SECONDS 'BEGIN {
		giga = total >= 1e9; unit = giga ? 1e9 : 1e6; name = giga ? "GB" : "MB"
		rate = s > 0 ? (there - began) / s : 0
		printf "%s: %d of %d files, %.2f of %.2f %s, %.2f %s/s", now, ready, files,
			there / unit, total / unit, name, rate / unit, name
		if (rate > 0)
			printf ", %d min %d s left", (total - there) / rate / 60,
				(total - there) / rate % 60 }' >&2
	printf '%b' "${2-\n}" >&2
}

