# A stream that ends early, and one with a flipped bit.
ln -s "$K3_TOYS/tiny" m
k3-pack --layer 1 -o - -m m | head -c 9000 |
    k3-pack --list - || echo $?
k3-pack --layer 1 -o - -m m >f
printf X | dd of=f bs=1 seek=9000 conv=notrunc 2>/dev/null
k3-pack --list - <f || echo $?
