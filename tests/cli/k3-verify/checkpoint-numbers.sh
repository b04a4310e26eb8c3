# Offsets at the edge of what JSON and 64 bits hold, and backwards.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
for offsets in '[18446744073709551615, 0]' '[9223372036854775807, 9223372036854775807]' '[8, 4]' '[-8, 4]' \
	'[0, 1]' '[0, 1e3]'; do
	cp "$K3_TOYS/tiny/model.safetensors" m
	python3 "$K3_VECTORS/../header.py" m/model.safetensors \
		language_model.model.norm.weight data_offsets "$offsets"
	k3-verify checkpoint m | grep -v ': missing$'
done
