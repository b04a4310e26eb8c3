# A number that is not finite ends the run before that token.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
python3 "$K3_VECTORS/../damage.py" m language_model.model.layers.1.self_attn.o_proj.weight 2 c07f
echo 1 2 3 | k3-decode -q -m m --route r
status=$?
wc -l <r
exit $status
