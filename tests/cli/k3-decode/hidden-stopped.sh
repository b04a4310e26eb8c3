# Hidden states of a prompt that did not get through are not written.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
python3 "$K3_VECTORS/../damage.py" m language_model.model.layers.2.self_attn.o_proj.weight 2 c07f
echo 1 2 3 | k3-decode -q -m m --hidden h
status=$?
ls h
exit $status
