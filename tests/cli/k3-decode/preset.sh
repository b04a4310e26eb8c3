k3-decode -m "$K3_TOYS/tiny" -p gigantic </dev/null
