printf "1 2\n3 4 5\n" | k3-route -q -m "$K3_TOYS/tiny" --context 2
