# An index that names a missing file, lists a tensor twice, or is broken.
cp -r "$K3_TOYS/odd" m && chmod -R u+w m
index=m/model.safetensors.index.json
sed -i 's/\(model.norm.weight": "\)[^"]*/\1model-9.safetensors/' $index
k3-verify checkpoint m
echo $?
sed 's/"weight_map": *{/&"language_model.model.norm.weight":"..\/x",/' \
	"$K3_TOYS/odd/${index#m/}" >$index
k3-verify checkpoint m
echo $?
truncate -s 9999 $index
k3-verify checkpoint m
