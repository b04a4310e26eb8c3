# Two of one name that nobody needs: told, and no matter to a run.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
want=$(echo 1 2 | k3-decode -q -m m -n 4 --stop none)
python3 "$K3_VECTORS/../header.py" m/model.safetensors \
    language_model.model.rotary_emb.inv_freq twice
k3-verify checkpoint -q m
echo $?
[ "$(echo 1 2 | k3-decode -q -m m -n 4 --stop none)" = "$want" ] || echo differs
