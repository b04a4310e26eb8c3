k3-decode -m "$K3_TOYS/tiny" -r nan
