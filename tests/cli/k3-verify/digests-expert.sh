# A byte of an expert is another, the size the same: both tell which.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
k3-verify checkpoint -q --make-digests m
for e in 0 1 2; do
	python3 "$K3_VECTORS/../damage.py" m \
		language_model.model.layers.1.block_sparse_moe.experts.$e.w3.weight_packed 5 99
done
k3-verify checkpoint --digests m | sed 's/[0-9a-f]\{16\}/HEX/g'
echo 1 2 3 | k3-decode -q -m m 2>err
echo $?
sed 's/[0-9a-f]\{16\}/HEX/g' err
