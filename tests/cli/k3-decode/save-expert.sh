# An expert that is corrupt ends the run; the session goes on with a good model.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
echo 1 2 3 4 | k3-decode -q -m "$K3_TOYS/tiny" -n 9 --stop none >want
python3 "$K3_VECTORS/../damage.py" m \
    language_model.model.layers.2.block_sparse_moe.experts.1.w2.weight_scale 5 fd
echo 1 2 3 4 | k3-decode -q -m m -n 9 --stop none --save s >one
echo $?
k3-decode -q -m "$K3_TOYS/tiny" --stop none --load s </dev/null >two
cat one two | cmp - want
