k3-pack --layer 1 -o - -m "$K3_TOYS/tiny" >f
k3-pack --list f >/dev/full
