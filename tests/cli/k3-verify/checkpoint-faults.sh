# Everything that can be wrong with tensors, in one file, each told once.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
model=language_model.model
head() {
	python3 "$K3_VECTORS/../header.py" m/model.safetensors "$@"
}
head $model.norm.weight dtype '"F16"'
head $model.embed_tokens.weight shape '[1, 2, 3]'
head $model.layers.0.self_attn.A_log remove
head $model.layers.0.self_attn.k_proj.weight data_offsets '[0, 99999999]'
head language_model.lm_head.weight twice
k3-verify checkpoint m
echo $?
echo 1 | k3-decode -q -m m
