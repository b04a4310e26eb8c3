echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 0 --hidden h >out
k3-route -q -m "$K3_TOYS/tiny" --hidden h >/dev/full
