k3-pack -m "$K3_TOYS/tiny" -o no/such/folder
