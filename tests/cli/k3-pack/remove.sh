# Its own files, what a killed one left, and then the folder.
ln -s "$K3_TOYS/tiny" m
k3-pack -m m -o trunk
touch trunk/.001.k3l.tmp
k3-pack --remove -v -m m -o trunk
ls
k3-pack --remove -m m -o trunk
