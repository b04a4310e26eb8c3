# Before and after packing, with a damaged file; nothing is written.
ln -s "$K3_TOYS/tiny" m
k3-pack --plan -m m -o trunk | sed '$d'
ls
k3-pack -m m -o trunk
echo >trunk/002.k3l
k3-pack --plan -m m -o trunk | sed '$d'
k3-pack --plan -m m -o trunk | tail -n 1 | grep -c '^free  *[0-9][0-9]*$'
