# What a terminal would obey in a name is not printed.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
name=$(printf 'a\033[31m\342\200\256')
k3-verify checkpoint -q --make-digests -o "$name" m
k3-verify checkpoint -q --digests="$name" m
(cd m && sha256sum config.json model.safetensors) >"$name"
k3-verify checkpoint -q --sha256="$name" m
