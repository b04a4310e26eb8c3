# A scale byte above 252 is corrupt data: no answer, and the expert named.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
for e in 0 1 2; do
	python3 "$K3_VECTORS/../damage.py" m "language_model.model.layers.1.block_sparse_moe.experts.$e.w2.weight_scale" 3 ff
done
echo 1 2 3 | k3-decode -q -m m
