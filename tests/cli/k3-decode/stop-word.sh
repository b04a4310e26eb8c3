# A typo in a list of IDs is not accepted.
k3-decode -m "$K3_TOYS/tiny" --stop 3,x </dev/null
