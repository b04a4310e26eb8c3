# Where a state had moved on, there is nothing to save, and that is said.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
echo 1 2 | k3-decode -q -m m -n 2 --stop none --save s >/dev/null
cp s was
python3 "$K3_VECTORS/../damage.py" m language_model.model.layers.1.self_attn.o_proj.weight 2 c07f
echo 1 2 3 | k3-decode --io pread -m m --save s
status=$?
cmp s was
echo 1 2 3 | k3-decode -q -m m --save s
exit $status
