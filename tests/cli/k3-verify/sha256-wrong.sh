# A flipped byte, swapped files, a cut one, one that is missing, one unlisted.
cp -r "$K3_TOYS/wide" m && chmod -R u+w m
(cd m && for f in *; do
	printf '%s\t%s\t%s\n' "$(sha256sum <"$f" | cut -c 1-64)" "$(wc -c <"$f")" "$f"
done) >list
python3 "$K3_VECTORS/../damage.py" m \
	language_model.model.layers.3.block_sparse_moe.experts.5.w1.weight_packed 7 5a
check() {
	k3-verify checkpoint --sha256=list m | sed 's/[0-9a-f]\{64\}/HEX/g'
}
check
cd m
mv model-00002-of-000008.safetensors x
mv model-00003-of-000008.safetensors model-00002-of-000008.safetensors
mv x model-00003-of-000008.safetensors
cd ..
check | grep list
truncate -s -1 m/tokenizer_config.json
rm m/tiktoken.model
sed -i /00008-of/d list
check | grep list
