# A file that may not grow is a write error, and leaves nothing.
ln -s "$K3_TOYS/tiny" m
(ulimit -f 20 && k3-pack -m m -o trunk) || echo $?
ls -A trunk
k3-pack -m m -o trunk
ls -A trunk
