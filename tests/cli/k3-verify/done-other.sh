# A name that was mistyped: the file is left as it is.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
(cd m && sha256sum *.safetensors) >list
for file in m/config.json m/model.safetensors list; do
	cp "$file" was
	k3-verify checkpoint -q --sha256=list --done "$file" m >out
	echo $?
	cmp "$file" was
done
