mkdir m && cp "$K3_TOYS/tiny"/* m && chmod -R u+w m
LC_ALL=C sed -i 's/language_model\.model\.norm\.weight/language_model.model.nrom.weight/' m/model.safetensors
echo 1 2 3 | k3-decode -q -m m
