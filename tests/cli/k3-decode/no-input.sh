k3-decode -m "$K3_TOYS/tiny" no-such-file
