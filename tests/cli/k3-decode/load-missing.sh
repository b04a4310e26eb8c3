echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" --load none
