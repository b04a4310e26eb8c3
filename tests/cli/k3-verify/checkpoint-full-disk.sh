k3-verify checkpoint "$K3_TOYS/tiny" >/dev/full
