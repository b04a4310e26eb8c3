# Another model's trunk is neither replaced nor removed.
ln -s "$K3_TOYS/tiny" m
ln -s "$K3_TOYS/odd" n
k3-pack -m m -o trunk
k3-pack -m n -o trunk || echo $?
k3-pack --plan -m n -o trunk | sed -n 2p
k3-pack --remove --layer 1 -m n -o trunk
ls trunk
