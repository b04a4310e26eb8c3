# No sequence in, none out.
k3-decode -q -m "$K3_TOYS/tiny" </dev/null
