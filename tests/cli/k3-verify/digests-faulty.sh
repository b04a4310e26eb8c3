# No digests are made of what is wrong, and none compared with what is not there.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
sha256sum "$K3_TOYS/odd/config.json" | sed 's|  .*|  config.json|' >list
k3-verify checkpoint --sha256=list --make-digests m | sed 's/[0-9a-f]\{64\}/HEX/g'
ls m | grep digests
python3 "$K3_VECTORS/../header.py" m/model.safetensors language_model.model.norm.weight remove
k3-verify checkpoint --digests --make-digests m
