#!/bin/bash
# doctor-model.sh - k3-doctor's rows about what is here of the model
#
# Sourced by k3-doctor after download-folder.sh, whose look() it uses.
# shellcheck disable=SC2034,SC2154

# there NAME FILE...: a row, and whether all are there.
there() {
	local name=$1 file
	shift
	for file; do
		[ -s "$dir/$file" ] && continue
		row "$name" "not yet: no $file"
		return 1
	done
	row "$name" here
}

# Sets have, of and right: shards that are there, of how many, and checked.  One
# file is a model of its own, of which there is no list to check it by.
count_shards() {
	local shard
	have=$(find -L "$dir" -maxdepth 1 -name 'model*.safetensors' 2>/dev/null | wc -l)
	right=0 missing=0
	if [ -e "$dir/model.safetensors" ]; then
		have=1 of=1 right=1
		return
	fi
	if [ -e "$dir/k3-files" ]; then
		cp "$dir/k3-files" "$tmp/list" && look "$tmp/todo"
		of=$(grep -c '\.safetensors$' "$tmp/list")
		right=$((of - $(grep -c '\.safetensors$' "$tmp/todo")))
		return
	fi
	shard=$(find -L "$dir" -maxdepth 1 -name 'model-*-of-*.safetensors' 2>/dev/null | head -n 1)
	of=${shard##*-of-} of=${of%.safetensors}
	# What a name says is no expression before it is known to be a number.
	[[ $of =~ ^[0-9]{1,6}$ ]] || of=96
	of=$((10#$of))
	missing=$((all_bytes - $(find -L "$dir" -maxdepth 1 -type f -printf '%s\n' 2>/dev/null |
		awk '{ n += $1 } END { printf "%.0f", n }')))
	[ "$have" -lt "$of" ] && [ $missing -gt 0 ] || missing=0
}

trunk() {
	local layers='' packed
	packed=$(find -L "$dir/trunk" -maxdepth 1 -name '*.k3l' 2>/dev/null | wc -l)
	[ -z "$tools" ] || layers=$(plan | sed -n 's/^trunk .* \([0-9]*\) layers$/\1/p')
	layers=${layers:-93}
	if [ "$packed" = 0 ]; then
		row trunk "not yet: 0 of $((layers + 1)) packed; for another disk, k3-pack(1)"
	else
		row trunk "$packed of $((layers + 1)) packed"
		[ "$packed" -gt "$layers" ] || todo "k3-pack -m $name"
	fi
}

model() {
	local whole=yes
	there config config.json || whole=
	there tokenizer tiktoken.model tokenizer_config.json || whole=
	count_shards
	[ "$have" -ge "$of" ] || whole=
	if [ "$have" = 0 ]; then
		row shards "not yet: 0 of $of"
	elif [ -e "$dir/model.safetensors" ]; then
		row shards "1 of 1; k3-verify(1) looks into it"
	else
		row shards "$have of $of, $right checked$([ "$right" -ge "$have" ] || echo '; not yet the others')"
	fi
	if [ "$missing" -gt "${free:-0}" ]; then
		never room "$(gb "$missing") are missing and $(gb "${free:-0}") are free"
	else
		row room "$(gb "$missing") are missing and $(gb "${free:-0}") are free"
	fi
	if [ -z "$whole" ] || [ "$right" -lt "$of" ]; then
		todo "k3-download $name"
	fi
	trunk
}
