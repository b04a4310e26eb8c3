# The fingerprint and the digests of a toy are those of any machine.
ln -s "$K3_TOYS/tiny" m
k3-pack -m m -o trunk
k3-pack --list trunk/000.k3l
k3-pack --list trunk/head.k3l
