# What a terminal would obey is not in messages: not from a tensor's name, a
# file's, the text of a list, or an option.
esc=$(printf '\033[2J\302\2332J\2332J')
cp -r "$K3_TOYS/tiny" "m$esc" && chmod -R u+w "m$esc"
python3 "$K3_VECTORS/../header.py" "m$esc/model.safetensors" \
	language_model.model.norm.weight rename '"\u001b[2J\u009b2J"'
k3-verify checkpoint "m$esc"
echo "$esc" | k3-decode -q -m "$K3_TOYS/tiny"
echo "$esc" | k3-trace stat
k3-decode --threads "$esc"
