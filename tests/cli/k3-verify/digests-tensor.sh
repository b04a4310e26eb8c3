# Tensors: a matrix, lm_head that comes in pieces, with a packed trunk too.
cp -r "$K3_TOYS/thirteen" m && chmod -R u+w m
k3-verify checkpoint -q --make-digests m
k3-pack -q -m m -o packed
decode() {
	echo 1 2 3 | k3-decode -q -m m -n 2 "$@" 2>err
	echo $?
	sed 's/[0-9a-f]\{16\}/HEX/g' err
}
decode --trunk-ram 0 --cache-ram 0 >want
damage() {
	rm -f m/model.safetensors && cp "$K3_TOYS/thirteen/model.safetensors" m
	chmod u+w m/model.safetensors
	python3 "$K3_VECTORS/../damage.py" m "$@"
	k3-verify checkpoint -q --digests m | sed 's/[0-9a-f]\{16\}/HEX/g' | tail -n +2
}
damage language_model.model.layers.2.self_attn.o_proj.weight 10 80
decode
decode --trunk-ram 0 --cache-ram 0
decode --trunk packed | cmp - want
damage language_model.lm_head.weight 4000 81
decode
decode --trunk-ram 0 --cache-ram 0
decode --trunk packed --trunk-ram 0
