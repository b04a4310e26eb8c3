echo 1 2 3 | k3-route -q -m "$K3_TOYS/tiny" | k3-route --reads -m "$K3_TOYS/tiny" >/dev/full
