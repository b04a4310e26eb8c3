# All layers and the head; the second time everything is there and right.
ln -s "$K3_TOYS/tiny" m
k3-pack -v -m m -o trunk
k3-pack -v -m m -o trunk
ls -A trunk
