k3-pack --layer 1 -o - -m "$K3_TOYS/tiny" >/dev/full
