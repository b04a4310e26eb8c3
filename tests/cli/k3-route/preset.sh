k3-route -m "$K3_TOYS/tiny" -p gigantic </dev/null
