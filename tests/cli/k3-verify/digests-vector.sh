# A vector is part of the fingerprint; k3-verify tells which it is.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
k3-verify checkpoint -q --make-digests m
python3 "$K3_VECTORS/../damage.py" m language_model.model.norm.weight 3 41
k3-verify checkpoint --digests m | sed 's/[0-9a-f]\{16,32\}/HEX/g'
echo 1 2 3 | k3-decode -q -m m 2>&1 | sed 's/[0-9a-f]\{16,32\}/HEX/g'
