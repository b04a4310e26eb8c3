#!/bin/bash
# diff.sh - k3-verify diff: CPU levels are the same, and a bit is found
#
# One bit of a matrix is turned: in its layer, and with the first token that it
# counts for, the runs part.  K3_LONG=COUNT bits (default 4), drawn by K3_SEED.  Prints TAP;
# needs K3_BIN and K3_TOYS.

set -u
PATH=${K3_BIN:?}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
RANDOM=${K3_SEED:-1}
n=0 bad=0
echo "# K3_SEED=${K3_SEED:-1}"

# result STATUS NAME; what was said is in "said".
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' said
		bad=1
	fi
}

# run MODEL NAME OPTION...
run() {
	local model=$1 name=$2
	shift 2
	k3-decode -q -m "$model" -n 3 --stop none --hidden "$name.hidden" \
	    --logits "$name.logits" -R "$name.json" "$@" prompt >"$name.ids"
}

same() {
	k3-verify diff "$1.hidden" "$2.hidden" &&
	    k3-verify diff -m "$3" "$1.logits" "$2.logits" &&
	    k3-verify diff "$1.json" "$2.json"
}

# Turn a bit of TENSOR in the only file of a model; which, RANDOM says.
turn() {
	python3 -c '
import json, struct, sys
path, name, place, bit = sys.argv[1:]
with open(path, "r+b") as f:
	(size,) = struct.unpack("<Q", f.read(8))
	at, end = json.loads(f.read(size))[name]["data_offsets"]
	# The low byte of a bfloat16 has all of its mantissa.
	f.seek(8 + size + at + 2 * (int(place) % ((end - at) // 2)))
	byte = f.read(1)[0] ^ 1 << int(bit)
	f.seek(-1, 1)
	f.write(bytes([byte]))
' "$1/model.safetensors" "$2" "$3" "$4"
}

seq -s ' ' 2 14 >prompt
for toy in thirteen odd; do
	model=${K3_TOYS:?}/$toy
	run "$model" "$toy" --cpu scalar -j 1 --chunk 5
	for level in avx2 avx512 neon; do
		run "$model" $level --cpu $level 2>said || continue
		same "$toy" $level "$model" >said 2>&1
		result $? "$toy: $level is the same as scalar"
		rm -r $level.*
	done
done

# Of what a token is multiplied with, the bit's part may be 0 or near it.
earlier_are_same() {
	[ "$1" != 0 ] || return 0
	cut -d ' ' -f "1-$1" prompt >shorter
	k3-decode -q -m "$K3_TOYS/thirteen" -n 1 --stop none --hidden one shorter >one.ids
	k3-decode -q -m model -n 1 --stop none --hidden two shorter >two.ids
	k3-verify diff one two >>said 2>&1
}

# What is to be said of the reports: rows of logits are of positions from 12 on.
verdict() {
	local at
	at=$(cmp thirteen.logits bit.logits | sed -n 's/.* byte \([0-9]*\),.*/\1/p')
	if [ -z "$at" ]; then
		echo "same: "
	else
		echo "different: sequence 0 position $((12 + (at - 1) * 3 / $(wc -c <thirteen.logits)))[^0-9]"
	fi
}

model=$K3_TOYS/thirteen
for ((i = 0; i < ${K3_LONG:-4}; i++)); do
	rm -rf model bit.*
	mkdir model
	cp "$model"/* model && chmod u+w model/*
	layer=$((RANDOM % 13)) part=$((RANDOM % 2)) place=$((RANDOM * 32768 + RANDOM))
	down=block_sparse_moe.shared_experts.down_proj
	[ $layer != 0 ] || down=mlp.down_proj
	# The one changes what the ffn gets, x, the other what it gives, p.
	if [ $part = 0 ]; then tensor=self_attn.o_proj; else tensor=$down; fi
	turn model language_model.model.layers.$layer.$tensor.weight $place $((4 + RANDOM % 3))
	run model bit
	k3-verify diff thirteen.hidden bit.hidden >said 2>&1
	[ $? = 1 ] && sed 1q said | grep -Eq \
	    "^first: layer $layer token [0-9]+ element [0-9]+ of $([ $part = 0 ] && echo x || echo p):" &&
	    earlier_are_same "$(sed -n '1s/.* token \([0-9]*\) .*/\1/p' said)" &&
	    k3-verify diff thirteen.json bit.json | grep -q "^$(verdict)"
	result $? "a bit in layer $layer, $tensor, $place"
done
echo "1..$n"
exit $bad
