printf '1,2\t3\n' | k3-decode -q -m "$K3_TOYS/tiny" -e -n 0
