k3-decode -m "$K3_TOYS/tiny" -n 1x
