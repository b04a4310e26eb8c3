# No sequence in: the first line, and no others.
k3-route -q -m "$K3_TOYS/tiny" </dev/null
