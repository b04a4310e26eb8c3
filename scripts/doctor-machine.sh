#!/bin/bash
# doctor-machine.sh - k3-doctor's rows about the machine
#
# Sourced by k3-doctor, whose row(), never(), todo() and gb() it uses.
# shellcheck disable=SC2034,SC2154

toolchain() {
	local lacks found
	found=$(command -v k3-decode)
	for tools in "$here/../build/bin" "$here" ${found:+"$(dirname "$found")"}; do
		if [ -x "$tools/k3-decode" ] && [ -x "$tools/k3-trace" ]; then
			tools=$(cd "$tools" && pwd)
			row tools "$("$tools/k3-decode" -V), in $tools"
			return
		fi
	done
	tools=
	if [ ! -e "$here/deps" ]; then
		never tools "k3-decode and k3-trace are not beside $here/$me"
	elif lacks=$("$here/deps" -n build check); then
		row tools 'not yet: to be built'
		todo make
	else
		lacks=${lacks# }
		row tools "not yet: to be installed: ${lacks% }"
		todo "scripts/deps && make"
	fi
}

plan() {
	"$tools/k3-decode" -m "$config" --plan "$@" 2>"$tmp/err"
}

# A level of another architecture is refused with what this CPU has.
cpu() {
	local level=''
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) never cpu "$(uname -m) is neither x86_64 nor aarch64" && return ;;
	esac
	if [ -n "$tools" ]; then
		level=', level neon'
		plan --cpu neon >"$tmp/plan" || level=$(sed -n 's/.*this CPU has/, level/p' "$tmp/err")
	fi
	row cpu "$(uname -m)$level, $(nproc) cores"
}

# What is available is in the note on a plan that does not get all it could use,
# which of K3 none does.
memory() {
	local status=0 note fits='' preset
	[ -n "$tools" ] || { unasked_memory && return; }
	plan >"$tmp/plan" || status=$?
	case $status in
	0) ;;
	69) never memory "$(sed -n '$s/^k3-decode: cannot //p' "$tmp/err")" && return ;;
	*) row memory "not known: $(sed -n '$s/^k3-decode: //p' "$tmp/err")" && return ;;
	esac
	note=$(config=$share/kimi-k3 && plan >"$tmp/k3" &&
		sed -n 's/^k3-decode: of \([0-9.e+]* GB [a-z]*\) takes .*/\1, /p' "$tmp/err")
	row memory "$note$(gb "$(total <"$tmp/plan")") would be used"
	while read -r preset _; do
		if [ "$preset" != auto ] && plan -p "$preset" >"$tmp/preset" &&
		    total <"$tmp/preset" | awk -v most="${note%% *}" '{ exit !(most == "" || $1 <= most * 1e9) }'; then
			fits=$preset
		fi
	done < <("$tools/k3-decode" --list-presets | sed 1d)
	row preset "auto${fits:+; of the others up to $fits}"
}

total() {
	awk '$1 == "total" { print $2 }'
}

unasked_memory() {
	local bytes
	bytes=$(awk '/^MemAvailable:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
	if [ "${bytes:-0}" -lt "$least_memory" ]; then
		never memory "$bytes bytes are available, $least_memory are the least"
	else
		row memory "$(gb "$bytes") available"
	fi
}

# Of the nearest folder that is there: nothing is made.
disk() {
	local at=$dir why
	while [ ! -d "$at" ]; do at=$(dirname "$at"); done
	free=$(df -B1 --output=avail "$at" | tail -n 1 | tr -d ' ')
	speed=
	if [ -n "$rate" ]; then
		speed=$rate
		why="$rate GB/s as said"
	elif [ -z "$tools" ]; then
		why='not measured yet'
	elif "$tools/k3-trace" disk ${quiet:+-q} --json --size 512M --seconds 0.3 "$at" \
		>"$tmp/disk" 2>"$tmp/err"; then
		[ -n "$quiet" ] || grep . "$tmp/err" >&2
		speed=$tmp/disk
		why="reads $(rate_of trunk)/s of trunk and $(rate_of expert)/s of experts"
	else
		why="not measured: $(tail -n 1 "$tmp/err" | sed 's/^k3-trace: //')"
	fi
	row disk "$at: $(gb "${free:-0}") free, $why"
}

rate_of() {
	gb "$(sed -n "s/.*\"$1_rate\": *\([0-9]*\).*/\1/p" "$tmp/disk")"
}

forecast() {
	local s
	if [ -z "$tools" ]; then
		row forecast 'not yet: when there are tools'
	elif [ -z "$speed" ]; then
		row forecast 'not yet: when the disk is measured; see --disk'
	elif plan --disk "$speed" >"$tmp/plan" &&
	    s=$(sed -n 's/^at .*: \([0-9.e+-]*\) s a token.*/\1/p' "$tmp/plan") && [ -n "$s" ]; then
		row forecast "$s s a token, of reading"
	else
		row forecast "none: $(sed -n '$s/^k3-decode: //p' "$tmp/err")"
	fi
}
