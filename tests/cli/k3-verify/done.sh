# What was right is not read again, as long as it is the same file.
cp -r "$K3_TOYS/odd" m && chmod -R u+w m
k3-verify checkpoint -q --make-digests m
(cd m && sha256sum *.safetensors) >list
check() {
	k3-verify checkpoint --digests --sha256=list --done done m | sed '1d; s/[0-9a-f]\{16,64\}/HEX/g'
}
check
check
python3 "$K3_VECTORS/../damage.py" m \
	language_model.model.layers.2.block_sparse_moe.experts.1.w2.weight_packed 5 99
check
check
truncate -s -5 done
cp "$K3_TOYS/odd/"*.safetensors m
check
check
