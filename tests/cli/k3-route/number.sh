k3-route -m "$K3_TOYS/tiny" --chunk 1x
