echo 1 2 99999 | k3-decode -q -m "$K3_TOYS/tiny"
