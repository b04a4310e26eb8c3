printf '1 2\n3\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 0
