k3-decode -m "$K3_TOYS/tiny" -r 1.5X
