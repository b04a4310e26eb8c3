# A file may be a link to another device: its target is replaced.
ln -s "$K3_TOYS/tiny" m
mkdir trunk other
k3-pack --layer 2 -m m -o trunk
dd if=trunk/002.k3l of=other/2 bs=1000 count=9 2>/dev/null
ln -sf ../other/2 trunk/002.k3l
k3-pack -q --layer 2 -m m -o trunk
readlink trunk/002.k3l
k3-pack --layer 2 -o - -m m | cmp - other/2
