k3-decode -q -m "$K3_TOYS/tiny" --load s --hidden h
