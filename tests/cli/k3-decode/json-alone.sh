k3-decode -m "$K3_TOYS/tiny" --json </dev/null
