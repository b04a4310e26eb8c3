echo 1 | k3-decode -q -m "$K3_TOYS/tiny" --route no-such-folder/r
