# Rows of the embedding: k3-verify tells which; k3-decode refuses where one is
# used, in a prompt or by what it chose, and else gives the answer.
cp -r "$K3_TOYS/mixed" m && chmod -R u+w m
name=language_model.model.embed_tokens.weight
bytes=144
k3-verify checkpoint -q --make-digests m
k3-pack -q -m m -o packed
decode() {
	echo 1 2 3 | k3-decode -q -m m --stop none "$@" 2>err
	echo $?
	sed 's/[0-9a-f]\{16\}/HEX/g' err
}
decode -n 5
for byte in $((2 * bytes)) $((111 * bytes + bytes - 1)) $((5 * bytes)); do
	cp "$K3_TOYS/mixed"/*.safetensors m && chmod u+w m/*
	python3 "$K3_VECTORS/../damage.py" m $name $byte 77
	k3-verify checkpoint -q --digests m | sed '1d; s/[0-9a-f]\{16\}/HEX/g'
	decode -n 2
	decode -n 5
	decode -n 5 --trunk packed
done
grep -n $name m/k3-digests
tail -n 1 m/k3-digests | cut -f 1,2
