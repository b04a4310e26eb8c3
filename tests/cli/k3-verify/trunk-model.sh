# The packed file has its digests; the model has changed since.
cp -r "$K3_TOYS/thirteen" m && chmod -R u+w m
k3-pack -q -m m -o t
python3 "$K3_VECTORS/../damage.py" m language_model.model.layers.2.self_attn.o_proj.weight 10 80
python3 "$K3_VECTORS/../damage.py" m language_model.lm_head.weight 4001 81
k3-verify trunk -m m t
k3-verify trunk -m m --quick t || exit
python3 "$K3_VECTORS/../damage.py" m language_model.model.norm.weight 3 41
k3-verify trunk -m m t | sed 's/[0-9a-f]\{32\}/HEX/g' | tail -n 2
