k3-pack --layer 3 -m "$K3_TOYS/tiny" || echo $?
k3-pack --layer 1x -m "$K3_TOYS/tiny"
