k3-route -m "$K3_TOYS/tiny" no-such-file
