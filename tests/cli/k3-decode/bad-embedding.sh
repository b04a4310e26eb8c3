# Infinity in row 7 of the embedding hurts only those who use it.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
python3 "$K3_VECTORS/../damage.py" m language_model.model.embed_tokens.weight $((7 * 11 * 2)) 807f
printf '1 2\n7\n' | k3-decode -q -m m -n 1 --stop none
