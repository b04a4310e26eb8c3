printf "1 2\n3 99999\n" | k3-route -q -m "$K3_TOYS/tiny"
