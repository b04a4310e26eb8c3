touch trunk
k3-pack -m "$K3_TOYS/tiny" -o trunk
