# Files of a list may be links, folders of it not: they would lead out.
cp -r "$K3_TOYS/tiny" m
chmod -R u+w m
mkdir m/sub other
echo text | tee other/file >m/sub/file
ln -s ../../other/file m/sub/link
ln -s ../other m/out
ln -s ../../other m/sub/out
(cd m && sha256sum *.safetensors sub/file sub/link) >list
k3-verify checkpoint -q --sha256=list m
(cd m && sha256sum out/file sub/out/file) >>list
k3-verify checkpoint -q --sha256=list m/
